import { randomUUID } from 'node:crypto';
import should from 'should';
import { createClock } from '../../../src/client/clock.js';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { type Fault, neverReply, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { nextTurn } from '../../helpers/next-turn.js';
import { dropAfterRequest, reset } from '../../helpers/socket-faults.js';
import { registerClientBench } from '../support/client-bench.js';

const STATUS = /\/status$/;
const RESULT = /\/result$/;
const TOKEN = /^\/token$/i;
const ANY = /./;

describe('Client during outages', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  const { reopen } = registerClientBench((bench) => ({ service, clock, client } = bench));

  /** Returns a fault that ends `ms` after the first request. */
  const during = (ms: number, fault: Fault): Fault => {
    let end: number | undefined;
    return (request, reply) => {
      end ??= clock.time + ms;
      return clock.time < end ? fault(request, reply) : false;
    };
  };

  const MINUTE_MS = 60_000;
  for (const [description, fault] of [
    ['503', replyWithError(503, 'later')],
    ['502', replyWith(502, '<html>bad gateway')],
    ['500', replyWithError(500, 'oops')],
    ['403', replyWithError(403, 'maintenance')],
    ['redirects', replyWith(302, '', { Location: '/maintenance' })],
    ['401', replyWithError(401, 'no')],
    ['web pages', replyWith(200, '<html>maintenance')],
    ['reset connections', reset],
  ] as [string, Fault][]) {
    for (const [endpoint, method, path] of [
      ['status', 'GET', STATUS],
      ['result', 'GET', RESULT],
      ['token', 'POST', TOKEN],
    ] as const) {
      it(`continues a wait through a minute of ${description} at the ${endpoint} endpoint`, async () => {
        const operationId = service.addOperation('repair', { pollsLeft: 2 });
        service.fault(method, path, during(MINUTE_MS, fault), 1e9);
        const { result } = await client.wait(operationId, 'repair');
        should(result.resultId).be.String();
      });
    }
  }

  for (const [endpoint, method, path] of [
    ['status', 'GET', STATUS],
    ['result', 'GET', RESULT],
    ['token', 'POST', TOKEN],
  ] as const) {
    for (const [condition, fault] of [
      ['replies with 503', replyWithError(503, 'later')],
      ['does not reply', neverReply],
    ] as const) {
      it(`fails with WAIT_TIMEOUT at the deadline while the ${endpoint} endpoint ${condition}`, async () => {
        await reopen(createClock());
        const operationId = service.addOperation('repair');
        service.fault(method, path, fault, 1e9);
        const error = await expectClientError(client.wait(operationId, 'repair', { timeoutMs: 700 }));
        error.code.should.equal('WAIT_TIMEOUT');
        error.message.should.containEql(operationId);
      });
    }
  }

  it('continues a wait while the credentials are refused, and reports each failure', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 2 });
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

  it('fails with WAIT_TIMEOUT and the reason at the deadline while the credentials are refused', async () => {
    service.account.password = 'changed';
    const error = await expectClientError(client.wait(randomUUID(), 'repair', { timeoutMs: 30_000 }));
    error.code.should.equal('WAIT_TIMEOUT');
    error.message.should.containEql('invalid_grant');
  });

  it('continues a wait until the account is available', async () => {
    const operationId = service.addOperation('repair');
    let isAvailable = false;
    await reopen({
      account: () => (isAvailable ? Promise.resolve(service.account) : Promise.reject(new Error('file not found'))),
    });
    const { result } = await client.wait(operationId, 'repair', {
      onFailure: () => {
        isAvailable = true;
      },
    });
    should(result.resultId).be.String();
  });

  for (const [description, fault] of [
    ['503', replyWithError(503, 'later')],
    ['504', replyWithError(504, 'late')],
    ['reset connections', reset],
  ] as [string, Fault][]) {
    it(`completes 100 concurrent calls after five seconds of ${description}`, async () => {
      const ids = Array.from({ length: 100 }, () => service.addOperation('repair'));
      clock.chance = 0.3;
      await client.describe();
      service.fault('GET', STATUS, during(5_000, fault), 1e9);
      const records = await Promise.all(ids.map((id) => client.status(id)));
      records.every(({ isCompleted }) => isCompleted).should.be.true();
    });
  }

  it('completes 300 concurrent calls after three seconds of 503, with a limited rate of retries', async () => {
    const ids = Array.from({ length: 300 }, () => service.addOperation('repair'));
    await client.describe();
    service.fault('GET', STATUS, during(3_000, replyWithError(503, 'later')), 1e9);
    const records = await Promise.all(ids.map((id) => client.status(id)));
    records.length.should.equal(300);
  });

  it('completes a start after five seconds of 503 at the token endpoint', async () => {
    service.fault('POST', TOKEN, during(5_000, replyWithError(503, 'later')), 1e9);
    (await client.start('repair', { inputId: randomUUID() })).should.have.property('operationId');
  });

  it('polls other operations while 20 polls hang', async () => {
    await reopen({ ...createClock(), limits: { slowPollMs: 20 } });
    const hanging = Array.from({ length: 20 }, () => service.addOperation('repair'));
    service.fault('GET', new RegExp(`(${hanging.join('|')})/status`), neverReply, 1e9);
    const controller = new AbortController();
    const waits = hanging.map((id) => expectClientError(client.wait(id, 'repair', { signal: controller.signal })));
    while (service.count('GET', STATUS) < 20) await nextTurn();
    const { result } = await client.wait(service.addOperation('repair'), 'repair');
    should(result.resultId).be.String();
    controller.abort();
    for (const error of await Promise.all(waits)) error.code.should.equal('ABORTED');
  });

  it('fails with WAIT_TIMEOUT at the deadline while all connections for polls hang', async () => {
    await reopen({ ...createClock(), limits: { controlSockets: 2, pollSockets: 2 } });
    const hanging = [1, 2].map(() => service.addOperation('repair'));
    service.fault('GET', STATUS, neverReply, 1e9);
    const controller = new AbortController();
    const waits = hanging.map((id) => expectClientError(client.wait(id, 'repair', { signal: controller.signal })));
    while (service.count('GET', STATUS) < 2) await nextTurn();
    const error = await expectClientError(client.wait(service.addOperation('repair'), 'repair', { timeoutMs: 400 }));
    error.code.should.equal('WAIT_TIMEOUT');
    controller.abort();
    await Promise.all(waits);
  });

  it('retries a start whose connection is lost before the 100 Continue', async () => {
    await client.start('repair', { inputId: randomUUID() });
    service.refuseContinue((socket) => socket.resetAndDestroy(), 3);
    await client.start('repair', { inputId: randomUUID() });
    service.operations.size.should.equal(2);
  });

  it('retries a start without a 100 Continue if the service has sent one before', async () => {
    await reopen({ ...createClock(), limits: { connectTimeoutMs: 100, retryBaseMs: 1 } });
    await client.start('repair', { inputId: randomUUID() });
    service.refuseContinue(() => {}, 2);
    await client.start('repair', { inputId: randomUUID() });
    service.operations.size.should.equal(2);
  });

  it('sends the body of a start, and later starts without the expectation, if the service ignores it', async () => {
    service.shouldIgnoreContinue = true;
    const previousCount = service.requests.length;
    await client.start('repair', { inputId: randomUUID() });
    await client.start('repair', { inputId: randomUUID() });
    const starts = service.requests.slice(previousCount).filter(({ path }) => path.endsWith('/repair'));
    starts.map(({ headers }) => headers.expect).should.eql(['100-continue', undefined]);
  });

  it('sends a start without the expectation after a 417', async () => {
    service.fault('POST', /repair$/, replyWith(417, ''));
    await client.start('repair', { inputId: randomUUID() });
    service.operations.size.should.equal(1);
    should(service.requests.at(-1)?.headers.expect).be.undefined();
  });

  it('fails with OUTCOME_UNKNOWN if the reply to a start is lost', async () => {
    service.fault('POST', /repair$/, dropAfterRequest, 9);
    (await expectClientError(client.start('repair', { inputId: randomUUID() }))).code.should.equal('OUTCOME_UNKNOWN');
    service.count('POST', ANY).should.equal(2);
  });
});
