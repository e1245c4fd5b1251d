import { randomUUID } from 'node:crypto';
import should from 'should';
import { type Client, createClient, createTokenSource, type ErrorCode } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { answer, FakeService, refusal } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';

const TOKEN = /^\/token$/i;

describe('refusals', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;

  beforeEach(async () => {
    service = await FakeService.start();
    clock = new InstantClock();
    client = createClient({ account: service.account, ...clock });
  });
  afterEach(async () => {
    await client.close();
    await service.stop();
  });

  /** Every kind of call: how its request looks, how it is made, and whether it may be sent again. */
  const calls: [what: string, method: string, path: RegExp, isRepeatable: boolean, make: () => Promise<unknown>][] = [
    ['a start', 'POST', /operation\/repair$/, false, () => client.start('repair', { inputId: randomUUID() })],
    ['an upload', 'POST', /operation\/file$/, true, () => client.upload({ data: Buffer.from('x'), filename: 'a.stl' })],
    ['a status', 'GET', /status$/, true, () => client.status(service.addOperation('repair'))],
    [
      'a result',
      'GET',
      /result$/,
      true,
      () => client.result(service.addOperation('repair', { looksLeft: 0 }), 'repair'),
    ],
    [
      'a download',
      'GET',
      /operation\/file\//,
      true,
      () => client.download(service.addFile(Buffer.from('x')), { to: 'buffer' }),
    ],
  ];

  for (const [what, method, path, isRepeatable, make] of calls) {
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
      it(`${what} meets ${status}: final, with the words of the service`, async () => {
        service.fault(method, path, refusal(status, 'Because of this.'), 9);
        const error = await expectClientError(make());
        error.should.have.properties({ code, statusCode: status, isTransient: false });
        error.message.should.endWith(`the service answered ${status}: Because of this.`);
        service.count(method, path).should.equal(1);
      });
    }

    for (const status of [408, 500, 502, 504]) {
      it(`${what} meets ${status}: ${isRepeatable ? 'repeated' : 'OUTCOME_UNKNOWN, not repeated'}`, async () => {
        service.fault(method, path, refusal(status, 'oops'));
        if (isRepeatable) await make();
        else (await expectClientError(make())).should.have.properties({ code: 'OUTCOME_UNKNOWN', statusCode: status });
        service.count(method, path).should.equal(isRepeatable ? 2 : 1);
      });
    }

    for (const status of [429, 503]) {
      it(`${what} meets ${status}: repeated, not before the service allows it`, async () => {
        service.fault(method, path, refusal(status, 'busy', { 'Retry-After': '7' }));
        await make();
        service.count(method, path).should.equal(2);
        Math.max(...clock.sleeps).should.be.within(7000, 7001);
      });
    }

    it(`${what} meets 401: the token is renewed once, and the call repeated once`, async () => {
      service.fault(method, path, refusal(401, 'no'));
      await make();
      service.count(method, path).should.equal(2);
      service.count('POST', TOKEN).should.equal(2);
    });

    it(`${what} is redirected: an error that names the host, and nothing is sent there`, async () => {
      const other = await FakeService.start();
      let sent = 0;
      for (const [status, location, named] of [
        [301, `${other.account.baseUrl}/x`, `127.0.0.1:${other.port}`],
        [302, 'file:///etc/passwd', 'another protocol'],
        [307, `${service.account.baseUrl}/web-api/operation/file`, `127.0.0.1:${service.port}`],
        [308, '/elsewhere', 'another place'],
        [303, '', 'another place'],
      ] as const) {
        service.fault(method, path, answer(status, '', { Location: location }));
        const error = await expectClientError(make());
        error.should.have.properties({ code: 'BAD_REPLY', statusCode: status, isTransient: false });
        error.message.should.containEql(named);
        sent += 1;
        service.count(method, path).should.equal(sent);
        service.count(method, /elsewhere/).should.equal(0);
      }
      other.requests.should.eql([]);
      await other.stop();
    });
  }

  it('a 401 for a new token: after one second the call is repeated once more, and then no more', async () => {
    service.fault('GET', /status$/, refusal(401, 'no'), 9);
    (await expectClientError(client.status(randomUUID()))).code.should.equal('BAD_CREDENTIALS');
    service.count('GET', /status$/).should.equal(3);
    clock.sleeps.should.eql([1000, 1000]);
  });

  it('a pause that one client is asked for is kept by all of the account, its renewals too', async () => {
    const tokens = createTokenSource(service.account, clock);
    // Its own close would end the source of both.
    const tokenSource = () => tokens;
    const [first, second] = [1, 2].map(() =>
      createClient({ account: service.account, tokenSource, limits: { maxOutageTries: 1 }, ...clock }),
    );
    if (!first || !second) throw new Error('There are two.');
    const operationId = service.addOperation('repair');
    await second.status(operationId);
    service.fault('GET', /status$/, refusal(429, 'busy', { 'Retry-After': '120' }));
    await expectClientError(first.status(operationId));
    tokens.pauseMs.should.be.within(119_000, 120_000);
    const before = clock.time;
    await second.status(operationId);
    (clock.time - before).should.be.aboveOrEqual(119_000);
    tokens.pause(60_000);
    const paused = clock.time;
    await tokens.token({ staleToken: await tokens.token() });
    (clock.time - paused).should.be.aboveOrEqual(59_000);
    await first.close();
    await second.close();
  });

  it('the token endpoint asks for a pause: it holds for the other calls too', async () => {
    const tokens = createTokenSource(service.account, { ...clock, limits: { maxOutageTries: 1 } });
    service.fault('POST', TOKEN, answer(429, {}, { 'Retry-After': '30' }));
    (await expectClientError(tokens.token())).code.should.equal('RATE_LIMITED');
    tokens.pauseMs.should.be.within(29_000, 30_000);
    tokens.close();
  });

  for (const [what, retryAfter, date, minMs, maxMs] of [
    [
      'a date, by the clock of the service',
      'Sat, 01 Jan 2000 00:00:20 GMT',
      'Sat, 01 Jan 2000 00:00:00 GMT',
      20_000,
      20_001,
    ],
    ['a whole day: cut to five minutes', '86400', undefined, 300_000, 300_001],
    ['a negative number: as if it were not there', '-5', undefined, 0, 500],
    ['words: as if they were not there', 'in a while', undefined, 0, 500],
  ] as const) {
    it(`Retry-After is ${what}`, async () => {
      service.fault('GET', /status$/, refusal(429, 'busy', { 'Retry-After': retryAfter, ...(date && { Date: date }) }));
      await client.status(service.addOperation('repair'));
      should(clock.sleeps[0]).be.within(minMs, maxMs);
    });
  }
});
