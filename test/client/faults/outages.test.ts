import { randomUUID } from 'node:crypto';
import should from 'should';
import { type Client, type ClientOptions, createClient } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { answer, FakeService, type Fault, neverReply, refusal } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';
import { cutAfterRequest, reset } from '../../helpers/socket-faults.js';

const STATUS = /\/status$/;
const RESULT = /\/result$/;
const TOKEN = /^\/token$/i;
const ANY = /./;

describe('outages', () => {
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

  const reopen = async (options: Partial<ClientOptions>) => {
    await client.close();
    client = createClient({ account: service.account, ...options });
  };
  /** The fault until `ms` from the first request on that meets it; then all goes well. */
  const during = (ms: number, fault: Fault): Fault => {
    let end: number | undefined;
    return (request, reply) => {
      end ??= clock.time + ms;
      return clock.time < end ? fault(request, reply) : false;
    };
  };

  const MINUTE = 60_000;
  for (const [what, fault] of [
    ['503', refusal(503, 'later')],
    ['502', answer(502, '<html>bad gateway')],
    ['500', refusal(500, 'oops')],
    ['403', refusal(403, 'maintenance')],
    ['302 to a page', answer(302, '', { Location: '/maintenance' })],
    ['401', refusal(401, 'no')],
    ['a web page', answer(200, '<html>maintenance')],
    ['a connection that breaks off', reset],
  ] as [string, Fault][]) {
    for (const [step, method, path] of [
      ['the status', 'GET', STATUS],
      ['the result', 'GET', RESULT],
      ['a new token', 'POST', TOKEN],
    ] as const) {
      it(`a wait goes on through a minute of ${what} on ${step}`, async () => {
        const operationId = service.addOperation('repair', { looksLeft: 2 });
        service.fault(method, path, during(MINUTE, fault), 1e9);
        const { result } = await client.wait(operationId, 'repair');
        should(result.resultId).be.String();
      });
    }
  }

  for (const [step, method, path] of [
    ['the status', 'GET', STATUS],
    ['the result', 'GET', RESULT],
    ['a token', 'POST', TOKEN],
  ] as const) {
    for (const [what, fault] of [
      ['refused', refusal(503, 'later')],
      ['not answered', neverReply],
    ] as const) {
      it(`a wait ends at its deadline while ${step} is ${what}`, async () => {
        await reopen({});
        const operationId = service.addOperation('repair');
        service.fault(method, path, fault, 1e9);
        const error = await expectClientError(client.wait(operationId, 'repair', { timeoutMs: 700 }));
        error.code.should.equal('WAIT_TIMEOUT');
        error.message.should.containEql(operationId);
      });
    }
  }

  it('a wait whose credentials are refused is held until they are accepted, and reports it', async () => {
    const operationId = service.addOperation('repair', { looksLeft: 2 });
    const { password } = service.account;
    service.account.password = 'changed';
    const codes: string[] = [];
    const { result } = await client.wait(operationId, 'repair', {
      onFailure: ({ code }) => {
        codes.push(code);
        if (codes.length === 20) service.account.password = password;
      },
    });
    should(result.resultId).be.String();
    codes.every((code) => code === 'BAD_CREDENTIALS').should.be.true();
  });

  it('a wait whose credentials stay refused ends at its deadline, and says why', async () => {
    service.account.password = 'changed';
    const error = await expectClientError(client.wait(randomUUID(), 'repair', { timeoutMs: 30_000 }));
    error.code.should.equal('WAIT_TIMEOUT');
    error.message.should.containEql('invalid_grant');
  });

  it('a wait without an account is held until there is one', async () => {
    const operationId = service.addOperation('repair');
    let isKnown = false;
    await reopen({
      ...clock,
      account: () => (isKnown ? Promise.resolve(service.account) : Promise.reject(new Error('the file is missing'))),
    });
    const { result } = await client.wait(operationId, 'repair', {
      onFailure: () => {
        isKnown = true;
      },
    });
    should(result.resultId).be.String();
  });

  for (const [what, fault] of [
    ['503', refusal(503, 'later')],
    ['504', refusal(504, 'late')],
    ['cut', reset],
  ] as [string, Fault][]) {
    it(`a hundred calls at once bridge five seconds of ${what}`, async () => {
      const ids = Array.from({ length: 100 }, () => service.addOperation('repair'));
      clock.chance = 0.3;
      await client.describe();
      service.fault('GET', STATUS, during(5_000, fault), 1e9);
      const records = await Promise.all(ids.map((id) => client.status(id)));
      records.every(({ isCompleted }) => isCompleted).should.be.true();
    });
  }

  it('three hundred calls in three seconds of 503 take turns in being repeated, and all succeed', async () => {
    const ids = Array.from({ length: 300 }, () => service.addOperation('repair'));
    await client.describe();
    service.fault('GET', STATUS, during(3_000, refusal(503, 'later')), 1e9);
    const records = await Promise.all(ids.map((id) => client.status(id)));
    records.length.should.equal(300);
  });

  it('a token that cannot be had for five seconds ends no call', async () => {
    service.fault('POST', TOKEN, during(5_000, refusal(503, 'later')), 1e9);
    (await client.start('repair', { inputId: randomUUID() })).should.have.property('operationId');
  });

  it('polls that hang leave their places to others', async () => {
    await reopen({ limits: { slowPollMs: 20 } });
    const hanging = Array.from({ length: 20 }, () => service.addOperation('repair'));
    service.fault('GET', new RegExp(`(${hanging.join('|')})/status`), neverReply, 1e9);
    const stop = new AbortController();
    const waits = hanging.map((id) => expectClientError(client.wait(id, 'repair', { signal: stop.signal })));
    while (service.count('GET', STATUS) < 20) await new Promise((resolve) => setImmediate(resolve));
    const { result } = await client.wait(service.addOperation('repair'), 'repair');
    should(result.resultId).be.String();
    stop.abort();
    for (const error of await Promise.all(waits)) error.code.should.equal('ABORTED');
  });

  it('a wait ends at its deadline also while all connections for polls hang', async () => {
    await reopen({ limits: { controlSockets: 2, pollSockets: 2 } });
    const hanging = [1, 2].map(() => service.addOperation('repair'));
    service.fault('GET', STATUS, neverReply, 1e9);
    const stop = new AbortController();
    const waits = hanging.map((id) => expectClientError(client.wait(id, 'repair', { signal: stop.signal })));
    while (service.count('GET', STATUS) < 2) await new Promise((resolve) => setImmediate(resolve));
    const error = await expectClientError(client.wait(service.addOperation('repair'), 'repair', { timeoutMs: 400 }));
    error.code.should.equal('WAIT_TIMEOUT');
    stop.abort();
    await Promise.all(waits);
  });

  it('a start whose connection breaks off before its body was asked for is repeated: nothing can have begun', async () => {
    await reopen({ ...clock });
    await client.start('repair', { inputId: randomUUID() });
    service.refuseContinue((socket) => socket.resetAndDestroy(), 3);
    await client.start('repair', { inputId: randomUUID() });
    service.operations.size.should.equal(2);
  });

  it('a start that nobody asks for its body is sent again to a service that asked before', async () => {
    await reopen({ limits: { connectTimeoutMs: 100, retryBaseMs: 1 } });
    await client.start('repair', { inputId: randomUUID() });
    service.refuseContinue(() => {}, 2);
    await client.start('repair', { inputId: randomUUID() });
    service.operations.size.should.equal(2);
  });

  it('a start goes without being asked for to a service that never asks', async () => {
    service.ignoresContinue = true;
    const begin = service.requests.length;
    await client.start('repair', { inputId: randomUUID() });
    await client.start('repair', { inputId: randomUUID() });
    const starts = service.requests.slice(begin).filter(({ path }) => path.endsWith('/repair'));
    starts.map(({ headers }) => headers.expect).should.eql(['100-continue', undefined]);
  });

  it('a start is sent without the expectation to a service that refuses it with 417', async () => {
    service.fault('POST', /repair$/, answer(417, ''));
    await client.start('repair', { inputId: randomUUID() });
    service.operations.size.should.equal(1);
    should(service.requests.at(-1)?.headers.expect).be.undefined();
  });

  it('a start whose reply is lost stays of unknown outcome', async () => {
    service.fault('POST', /repair$/, cutAfterRequest, 9);
    (await expectClientError(client.start('repair', { inputId: randomUUID() }))).code.should.equal('OUTCOME_UNKNOWN');
    service.count('POST', ANY).should.equal(2);
  });
});
