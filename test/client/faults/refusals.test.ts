import { randomUUID } from 'node:crypto';
import should from 'should';
import { type Client, createClient, createTokenSource, type ErrorCode } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { replyWith, replyWithError } from '../../helpers/fake-replies.js';
import { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { registerClientBench } from '../support/client-bench.js';

const TOKEN = /^\/token$/i;

describe('Client with refused requests', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  registerClientBench((bench) => ({ service, clock, client } = bench));

  /** All kinds of calls: method and path of the request, whether it is idempotent, and a function that calls it. */
  const calls: [name: string, method: string, path: RegExp, isIdempotent: boolean, call: () => Promise<unknown>][] = [
    ['a start', 'POST', /operation\/repair$/, false, () => client.start('repair', { inputId: randomUUID() })],
    ['an upload', 'POST', /operation\/file$/, true, () => client.upload({ data: Buffer.from('x'), filename: 'a.stl' })],
    ['a status', 'GET', /status$/, true, () => client.status(service.addOperation('repair'))],
    [
      'a result',
      'GET',
      /result$/,
      true,
      () => client.result(service.addOperation('repair', { pollsLeft: 0 }), 'repair'),
    ],
    [
      'a download',
      'GET',
      /operation\/file\//,
      true,
      () => client.download(service.addFile(Buffer.from('x')), { to: 'buffer' }),
    ],
  ];

  for (const [name, method, path, isIdempotent, call] of calls) {
    for (const [status, code] of [
      [400, 'REFUSED'],
      [403, 'REFUSED'],
      [404, 'NOT_FOUND'],
      [409, 'REFUSED'],
      [410, 'NOT_FOUND'],
      [413, 'REFUSED'],
      [415, 'REFUSED'],
      [422, 'REFUSED'],
    ] as [number, ErrorCode][]) {
      it(`fails ${name} at the first ${status}, with the message of the service`, async () => {
        service.fault(method, path, replyWithError(status, 'Because of this.'), 9);
        const error = await expectClientError(call());
        error.should.have.properties({ code, statusCode: status, isTransient: false });
        error.message.should.endWith(`the service returned ${status}: Because of this.`);
        service.count(method, path).should.equal(1);
      });
    }

    for (const status of [408, 500, 502, 504]) {
      const title = isIdempotent ? `retries ${name}` : `fails ${name} with OUTCOME_UNKNOWN and without a retry`;
      it(`${title} after ${status}`, async () => {
        service.fault(method, path, replyWithError(status, 'oops'));
        if (isIdempotent) await call();
        else (await expectClientError(call())).should.have.properties({ code: 'OUTCOME_UNKNOWN', statusCode: status });
        service.count(method, path).should.equal(isIdempotent ? 2 : 1);
      });
    }

    for (const status of [429, 503]) {
      it(`retries ${name} after ${status} when Retry-After has passed`, async () => {
        service.fault(method, path, replyWithError(status, 'busy', { 'Retry-After': '7' }));
        await call();
        service.count(method, path).should.equal(2);
        Math.max(...clock.sleeps).should.be.within(7000, 7001);
      });
    }

    it(`renews the token and retries ${name} once after 401`, async () => {
      service.fault(method, path, replyWithError(401, 'no'));
      await call();
      service.count(method, path).should.equal(2);
      service.count('POST', TOKEN).should.equal(2);
    });

    it(`fails ${name} with BAD_REPLY for a redirect and does not follow it`, async () => {
      const other = await FakeService.start();
      let requestCount = 0;
      for (const [status, location, named] of [
        [301, `${other.account.baseUrl}/x`, `127.0.0.1:${other.port}`],
        [302, 'file:///etc/passwd', 'a URL without a host'],
        [307, `${service.account.baseUrl}/web-api/operation/file`, `127.0.0.1:${service.port}`],
        [308, '/elsewhere', 'an unknown location'],
        [303, '', 'an unknown location'],
      ] as const) {
        service.fault(method, path, replyWith(status, '', { Location: location }));
        const error = await expectClientError(call());
        error.should.have.properties({ code: 'BAD_REPLY', statusCode: status, isTransient: false });
        error.message.should.containEql(named);
        requestCount += 1;
        service.count(method, path).should.equal(requestCount);
        service.count(method, /elsewhere/).should.equal(0);
      }
      other.requests.should.eql([]);
      await other.stop();
    });
  }

  it('retries a call once more, after one second, if a new token is refused with 401', async () => {
    service.fault('GET', /status$/, replyWithError(401, 'no'), 9);
    (await expectClientError(client.status(randomUUID()))).code.should.equal('BAD_CREDENTIALS');
    service.count('GET', /status$/).should.equal(3);
    clock.sleeps.should.eql([1000, 1000]);
  });

  it('applies a Retry-After to all clients and token requests of the account', async () => {
    const tokens = createTokenSource(service.account, clock);
    const tokenSource = () => tokens;
    const [first, second] = [1, 2].map(() =>
      createClient({ account: service.account, tokenSource, limits: { maxOutageTries: 1 }, ...clock }),
    );
    if (!first || !second) throw new Error('There are two.');
    const operationId = service.addOperation('repair');
    await second.status(operationId);
    service.fault('GET', /status$/, replyWithError(429, 'busy', { 'Retry-After': '120' }));
    await expectClientError(first.status(operationId));
    tokens.pauseMs.should.be.within(119_000, 120_000);
    const start = clock.time;
    await second.status(operationId);
    (clock.time - start).should.be.aboveOrEqual(119_000);
    tokens.pause(60_000);
    const pauseStart = clock.time;
    await tokens.token({ staleToken: await tokens.token() });
    (clock.time - pauseStart).should.be.aboveOrEqual(59_000);
    await first.close();
    await second.close();
  });

  it('applies a Retry-After of the token endpoint to the account', async () => {
    const tokens = createTokenSource(service.account, { ...clock, limits: { maxOutageTries: 1 } });
    service.fault('POST', TOKEN, replyWith(429, {}, { 'Retry-After': '30' }));
    (await expectClientError(tokens.token())).code.should.equal('RATE_LIMITED');
    tokens.pauseMs.should.be.within(29_000, 30_000);
    tokens.close();
  });

  for (const [title, retryAfter, date, minMs, maxMs] of [
    [
      'compares a Retry-After date with the Date header of the reply',
      'Sat, 01 Jan 2000 00:00:20 GMT',
      'Sat, 01 Jan 2000 00:00:00 GMT',
      20_000,
      20_001,
    ],
    ['limits a Retry-After of one day to five minutes', '86400', undefined, 300_000, 300_001],
    ['ignores a negative Retry-After', '-5', undefined, 0, 500],
    ['ignores a Retry-After that is neither a number nor a date', 'in a while', undefined, 0, 500],
  ] as const) {
    it(title, async () => {
      service.fault(
        'GET',
        /status$/,
        replyWithError(429, 'busy', { 'Retry-After': retryAfter, ...(date && { Date: date }) }),
      );
      await client.status(service.addOperation('repair'));
      should(clock.sleeps[0]).be.within(minMs, maxMs);
    });
  }

  describe('with a full queue', () => {
    const cases = [
      [429, 42901, 'of the user'],
      [503, 50302, 'of the service'],
    ] as const;
    for (const [status, number, whose] of cases) {
      const refuse = (times: number) => {
        const body = { errors: [{ code: number, message: 'The queue is full.' }] };
        service.fault('POST', /operation\/repair$/, replyWith(status, body, { 'Retry-After': '7' }), times);
      };
      const start = () => client.start('repair', { inputId: randomUUID() });

      it(`${whose}: repeats the start after Retry-After, while the polls of the account continue`, async () => {
        refuse(1);
        clock.sleeps.length = 0;
        const operationId = service.addOperation('repair');
        await Promise.all([start(), client.status(operationId)]);
        await client.status(operationId);
        clock.sleeps.should.deepEqual([7_000]);
      });

      it(`${whose}: fails with QUEUE_FULL after ten attempts`, async () => {
        refuse(99);
        const error = await expectClientError(start());
        error.should.have.properties({ code: 'QUEUE_FULL', statusCode: status, isTransient: true });
        error.message.should.endWith(`the service returned ${status}: The queue is full.`);
        service.count('POST', /operation\/repair$/).should.equal(10);
      });
    }

    it('only if the number belongs to the status: other replies keep their code', async () => {
      const body = { errors: [{ code: 50302, message: 'Something else.' }] };
      service.fault('POST', /operation\/repair$/, replyWith(429, body), 99);
      const error = await expectClientError(client.start('repair', { inputId: randomUUID() }));
      error.code.should.equal('RATE_LIMITED');
    });
  });
});
