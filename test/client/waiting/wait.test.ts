import { randomUUID } from 'node:crypto';
import should from 'should';
import { CLIENT_DEFAULTS, type Client, createClient, createPollScheduler } from '../../../src/client/index.js';
import { pollIntervalMs } from '../../../src/client/waiting/poll-interval.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { dropConnection, neverReply, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import { FakeService } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';

const STATUS = /\/status$/;
const RESULT = /\/result$/;

describe('Client.wait', () => {
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

  it('polls until the operation is completed, then reads its result once', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 5 });
    const statuses: boolean[] = [];
    const { status, result } = await client.wait(operationId, 'repair', {
      onStatus: ({ isCompleted }) => statuses.push(isCompleted),
    });
    statuses.should.eql([false, false, false, false, true]);
    status.should.eql({ operationId, isCompleted: true, isSuccessful: true });
    result.should.have.keys('operationId', 'resultId');
    service.count('GET', STATUS).should.equal(5);
    service.count('GET', RESULT).should.equal(1);
  });

  it('polls at intervals of half the square root of the age in seconds, within the limits, with 10 % of jitter', () => {
    const intervalMs = (ageMs: number, random = 0.5) => pollIntervalMs(ageMs, CLIENT_DEFAULTS, () => random);
    intervalMs(0).should.equal(250);
    intervalMs(4000).should.equal(1000);
    intervalMs(100_000).should.equal(5000);
    intervalMs(3_600_000).should.equal(15_000);
    intervalMs(4000, 0).should.be.approximately(900, 0.001);
    intervalMs(4000, 1).should.be.approximately(1100, 0.001);
  });

  it('takes the type of the operation from the status record, else from defaultOperation', async () => {
    const operationId = service.addOperation('repair');
    const status = { operationId, isCompleted: false, isSuccessful: false, operation: 'repair' };
    service.fault('GET', STATUS, replyWith(200, status));
    (await client.wait(operationId, undefined)).operation.should.equal('repair');
    (await client.wait(operationId, undefined, { defaultOperation: 'repair' })).operation.should.equal('repair');
    (await expectClientError(client.wait(operationId, undefined))).code.should.equal('OPERATION_UNKNOWN');
  });

  it('rejects with OPERATION_FAILED and the reason of the service, and does not read the result', async () => {
    const error = { code: 42200, message: 'There is no triangle in the model.' };
    const operationId = service.addOperation('repair', { isSuccessful: false, error });
    const failure = await expectClientError(client.wait(operationId, 'repair'));
    failure.code.should.equal('OPERATION_FAILED');
    failure.message.should.equal(`The repair ${operationId} failed: There is no triangle in the model.`);
    service.count('GET', RESULT).should.equal(0);
  });

  it('adds a valid report of a failed operation to the error, and omits an invalid one', async () => {
    const report = { steps: [], warnings: [], verdict: { level: 'open', needsRepair: true, reasons: ['boundary'] } };
    const failed = { isSuccessful: false, error: { code: 42204, message: 'It could not be closed.' } };
    const reported = service.addOperation('repair', { ...failed, report });
    (await expectClientError(client.wait(reported, 'repair'))).report?.should.eql(report);
    for (const invalid of ['open', { verdict: 'open', warnings: [] }, { verdict: report.verdict }]) {
      const operationId = service.addOperation('repair', { ...failed, report: invalid });
      should((await expectClientError(client.wait(operationId, 'repair'))).report).be.undefined();
    }
  });

  it('rejects once if it is aborted during a poll, without an unhandled rejection', async () => {
    let onPoll: () => void = () => undefined;
    const polling = new Promise<void>((resolve) => {
      onPoll = resolve;
    });
    service.fault('GET', STATUS, () => onPoll());
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => unhandled.push(error);
    process.prependListener('unhandledRejection', onUnhandled);
    const aborting = new AbortController();
    const waiting = expectClientError(
      client.wait(service.addOperation('repair'), 'repair', { signal: aborting.signal }),
    );
    await polling;
    aborting.abort();
    (await waiting).code.should.equal('ABORTED');
    await client.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', onUnhandled);
    unhandled.should.be.empty();
  });

  it("quotes the service's reason on one line", async () => {
    const error = { code: 42200, message: 'Not\u0007 a\r\nmodel' };
    const operationId = service.addOperation('import', { isSuccessful: false, error });
    const { message } = await expectClientError(client.wait(operationId, 'import'));
    message.should.equal(`The import ${operationId} failed: Not a model.`);
  });

  it('rejects with OPERATION_FAILED if the service gives no reason', async () => {
    const operationId = service.addOperation('repair', { isSuccessful: false });
    (await expectClientError(client.wait(operationId, 'repair'))).message.should.containEql(operationId);
  });

  it('rejects with WAIT_TIMEOUT at its deadline, naming the operation and the timeout', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    const error = await expectClientError(client.wait(operationId, 'repair', { timeoutMs: 30_000 }));
    error.code.should.equal('WAIT_TIMEOUT');
    error.message.should.containEql(operationId);
    error.message.should.containEql('30 s');
    (clock.time - 1000).should.be.within(30_000, 31_000);
  });

  it('rejects with WAIT_TIMEOUT at its deadline if the service never replies', async () => {
    service.fault('GET', STATUS, neverReply, 99);
    const error = await expectClientError(client.wait(service.addOperation('repair'), 'repair', { timeoutMs: 300 }));
    error.code.should.equal('WAIT_TIMEOUT');
    error.message.should.containEql('no status was received');
  });

  it('has a default timeout of one hour', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    (await expectClientError(client.wait(operationId, 'repair'))).code.should.equal('WAIT_TIMEOUT');
    (clock.time - 1000).should.be.within(3_600_000, 3_601_000);
  });

  it('polls again after transient failures until its deadline', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 1 });
    for (const fault of [
      dropConnection,
      replyWithError(500, 'oops'),
      replyWithError(429, 'busy'),
      replyWith(200, '<html>'),
      replyWithError(503, 'later'),
    ]) {
      service.fault('GET', STATUS, fault, 3);
    }
    (await client.wait(operationId, 'repair')).status.isCompleted.should.be.true();
    service.count('GET', STATUS).should.equal(16);
  });

  it('polls again after the service was stopped and restarted', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 3 });
    let statusCount = 0;
    const { port } = service;
    const waiting = client.wait(operationId, 'repair', { onStatus: () => (statusCount += 1) });
    while (statusCount === 0) await new Promise((resolve) => setImmediate(resolve));
    await service.stop();
    await service.listen(port);
    (await waiting).status.isCompleted.should.be.true();
  });

  it('ignores the status of another operation', async () => {
    const operationId = service.addOperation('repair');
    service.fault(
      'GET',
      STATUS,
      replyWith(200, { operationId: randomUUID(), isCompleted: true, isSuccessful: true }),
      3,
    );
    (await client.wait(operationId, 'repair')).status.operationId.should.equal(operationId);
  });

  it('polls an unknown operation for ten seconds, because services may be eventually consistent', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 2 });
    service.fault('GET', STATUS, replyWithError(404, 'unknown'), 8);
    (await client.wait(operationId, 'repair')).status.isCompleted.should.be.true();
  });

  it('rejects with NOT_FOUND if the operation is still unknown after ten seconds', async () => {
    const error = await expectClientError(client.wait(randomUUID(), 'repair'));
    error.should.have.properties({ code: 'NOT_FOUND', statusCode: 404 });
    (clock.time - 1000).should.be.within(10_000, 13_000);
  });

  it('rejects with REFUSED if the service rejects the request itself for ten seconds', async () => {
    service.fault('GET', STATUS, replyWithError(400, 'invalid'), 99);
    (await expectClientError(client.wait(randomUUID(), 'repair'))).code.should.equal('REFUSED');
    (clock.time - 1000).should.be.within(10_000, 13_000);
  });

  it('polls the missing result of a completed operation for ten seconds, then rejects with NOT_FOUND', async () => {
    const operationId = service.addOperation('repair');
    service.fault('GET', RESULT, replyWithError(404, 'not yet'), 4);
    service.fault('GET', RESULT, replyWithError(409, 'not yet'), 4);
    (await client.wait(operationId, 'repair')).result.should.have.property('resultId');
    service.fault('GET', RESULT, replyWithError(404, 'never'), 999);
    (await expectClientError(client.wait(operationId, 'repair'))).code.should.equal('NOT_FOUND');
  });

  it('sends no request before the Retry-After of the service has passed', async () => {
    const operationId = service.addOperation('repair');
    service.fault('GET', STATUS, replyWithError(429, 'busy', { 'Retry-After': '60' }));
    const before = clock.time;
    await client.wait(operationId, 'repair');
    (clock.time - before).should.be.above(60_000);
    service.count('GET', STATUS).should.equal(2);
  });

  it('serves 300 waits with at most 8 connections, and reads each result once', async () => {
    const ids = Array.from({ length: 300 }, (_id, index) =>
      service.addOperation('repair', { pollsLeft: 1 + (index % 4) }),
    );
    // Uses the real clock: an instant clock would reach the deadline as soon as no poll can start.
    const limits = { pollsPerSecond: 10_000, pollMinMs: 10, pollMaxMs: 10 };
    await client.close();
    client = createClient({ account: service.account, limits });
    const results = await Promise.all(ids.map((id) => client.wait(id, 'repair')));
    results.map(({ result }) => result.operationId).should.eql(ids);
    service.sockets.size.should.be.belowOrEqual(8);
    service.count('GET', RESULT).should.equal(300);
  });

  it('shares a scheduler with other clients, and does not close it with the client', async () => {
    const pollScheduler = createPollScheduler(clock);
    const [first, second] = [1, 2].map(() => createClient({ account: service.account, pollScheduler, ...clock }));
    await first?.wait(service.addOperation('repair'), 'repair');
    await first?.close();
    should((await second?.wait(service.addOperation('repair'), 'repair'))?.status.isCompleted).be.true();
    await second?.close();
    pollScheduler.close();
  });

  describe('while a callback is expected', () => {
    /** Creates a callback source that the test triggers by `arrive`. */
    const createSource = (isExpected = () => true) => {
      const listeners = new Set<() => void>();
      const listen = (onCallback: () => void) => {
        listeners.add(onCallback);
        return () => listeners.delete(onCallback);
      };
      const arrive = () => {
        for (const listener of listeners) listener();
      };
      return { isExpected, listen, arrive, listeners };
    };

    it('polls immediately if the callback has already arrived', async () => {
      const operationId = service.addOperation('repair');
      const { isExpected } = createSource();
      const listen = (onCallback: () => void) => {
        onCallback();
        return () => undefined;
      };
      await client.wait(operationId, 'repair', { callbacks: { isExpected, listen } });
      clock.sleeps.should.eql([0]);
      service.count('GET', STATUS).should.equal(1);
    });

    it('polls after 5.5 s, at each doubling of the age, then every 20 s if no callback arrives', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 6 });
      const callbacks = createSource();
      await client.wait(operationId, 'repair', { callbacks });
      clock.sleeps.should.eql([5500, 5500, 11_000, 20_000, 20_000, 20_000]);
      callbacks.listeners.size.should.equal(0);
    });

    it('polls at the usual intervals as soon as callbacks are no longer expected', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 3 });
      let checkCount = 0;
      await client.wait(operationId, 'repair', { callbacks: createSource(() => checkCount++ === 0) });
      clock.sleeps.map(Math.round).should.eql([5500, 1173, 1292]);
    });

    it('polls at most once per second after many callbacks, and relies on the status alone', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 5 });
      const callbacks = createSource();
      const onStatus = () => {
        for (let i = 0; i < 10; i += 1) callbacks.arrive();
      };
      await client.wait(operationId, 'repair', { callbacks, onStatus });
      clock.sleeps.should.eql([5500, 0, 1000, 1000, 1000]);
    });

    it('polls at the usual intervals, but at most once per second, after a callback before completion', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 4 });
      const callbacks = createSource();
      let statusCount = 0;
      const onStatus = () => {
        statusCount += 1;
        if (statusCount === 1) callbacks.arrive();
      };
      await client.wait(operationId, 'repair', { callbacks, onStatus });
      clock.sleeps.map(Math.round).should.eql([5500, 0, 1173, 1292]);
    });
  });

  it('rejects with ABORTED on its signal, and does not poll again', async () => {
    const stop = new AbortController();
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    const onStatus = () => stop.abort();
    const error = await expectClientError(client.wait(operationId, 'repair', { signal: stop.signal, onStatus }));
    error.code.should.equal('ABORTED');
    service.count('GET', STATUS).should.equal(1);
  });

  it('rejects with ABORTED when the client is closed', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    const waiting = expectClientError(client.wait(operationId, 'repair'));
    await client.close();
    (await waiting).code.should.equal('ABORTED');
  });
});
