import { randomUUID } from 'node:crypto';
import should from 'should';
import { CLIENT_DEFAULTS, type Client, createClient, createPollScheduler } from '../../../src/client/index.js';
import { pollIntervalMs } from '../../../src/client/waiting/poll-interval.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { answer, dropConnection, FakeService, neverReply, refusal } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';

const STATUS = /\/status$/;
const RESULT = /\/result$/;

describe('wait', () => {
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

  it('looks until the operation is completed, then reads its result once', async () => {
    const operationId = service.addOperation('repair', { looksLeft: 5 });
    const seen: boolean[] = [];
    const { status, result } = await client.wait(operationId, 'repair', {
      onStatus: ({ isCompleted }) => seen.push(isCompleted),
    });
    seen.should.eql([false, false, false, false, true]);
    status.should.eql({ operationId, isCompleted: true, isSuccessful: true });
    result.should.have.keys('operationId', 'resultId');
    service.count('GET', STATUS).should.equal(5);
    service.count('GET', RESULT).should.equal(1);
  });

  it('pauses half the square root of the age in seconds, within its limits, with a tenth of jitter', () => {
    const at = (ageMs: number, chance = 0.5) => pollIntervalMs(ageMs, CLIENT_DEFAULTS, () => chance);
    at(0).should.equal(250);
    at(4000).should.equal(1000);
    at(100_000).should.equal(5000);
    at(3_600_000).should.equal(15_000);
    at(4000, 0).should.be.approximately(900, 0.001);
    at(4000, 1).should.be.approximately(1100, 0.001);
  });

  it('takes the type of the operation from the status record, else from the default', async () => {
    const operationId = service.addOperation('repair');
    const status = { operationId, isCompleted: false, isSuccessful: false, operation: 'repair' };
    service.fault('GET', STATUS, answer(200, status));
    (await client.wait(operationId, undefined)).operation.should.equal('repair');
    (await client.wait(operationId, undefined, { defaultOperation: 'repair' })).operation.should.equal('repair');
    (await expectClientError(client.wait(operationId, undefined))).code.should.equal('OPERATION_UNKNOWN');
  });

  it('fails with OPERATION_FAILED and the reason of the service, and reads no result', async () => {
    const error = { code: 42200, message: 'There is no triangle in the model.' };
    const operationId = service.addOperation('repair', { isSuccessful: false, error });
    const failure = await expectClientError(client.wait(operationId, 'repair'));
    failure.code.should.equal('OPERATION_FAILED');
    failure.message.should.equal(`The repair ${operationId} failed: There is no triangle in the model.`);
    service.count('GET', RESULT).should.equal(0);
  });

  it('hands on what a failed operation reported, and nothing that is no report', async () => {
    const report = { steps: [], warnings: [], verdict: { level: 'open', needsRepair: true, reasons: ['boundary'] } };
    const failed = { isSuccessful: false, error: { code: 42204, message: 'It could not be closed.' } };
    const reported = service.addOperation('repair', { ...failed, report });
    (await expectClientError(client.wait(reported, 'repair'))).report?.should.eql(report);
    for (const nonsense of ['open', { verdict: 'open', warnings: [] }, { verdict: report.verdict }]) {
      const operationId = service.addOperation('repair', { ...failed, report: nonsense });
      should((await expectClientError(client.wait(operationId, 'repair'))).report).be.undefined();
    }
  });

  it('ends once when it is aborted in the middle of a look: the look ends too, and nobody is left to hear of it', async () => {
    let onLook: () => void = () => undefined;
    const looking = new Promise<void>((resolve) => {
      onLook = resolve;
    });
    service.fault('GET', STATUS, () => onLook());
    const unheard: unknown[] = [];
    const hear = (error: unknown) => unheard.push(error);
    process.prependListener('unhandledRejection', hear);
    const aborting = new AbortController();
    const waiting = expectClientError(
      client.wait(service.addOperation('repair'), 'repair', { signal: aborting.signal }),
    );
    await looking;
    aborting.abort();
    (await waiting).code.should.equal('ABORTED');
    await client.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', hear);
    unheard.should.be.empty();
  });

  it("quotes the service's reason on one line", async () => {
    const error = { code: 42200, message: 'Not\u0007 a\r\nmodel' };
    const operationId = service.addOperation('import', { isSuccessful: false, error });
    const { message } = await expectClientError(client.wait(operationId, 'import'));
    message.should.equal(`The import ${operationId} failed: Not a model.`);
  });

  it('fails with OPERATION_FAILED where the service gives no reason', async () => {
    const operationId = service.addOperation('repair', { isSuccessful: false });
    (await expectClientError(client.wait(operationId, 'repair'))).message.should.containEql(operationId);
  });

  it('fails with WAIT_TIMEOUT at its deadline, naming the operation and its last status', async () => {
    const operationId = service.addOperation('repair', { looksLeft: 1e9 });
    const error = await expectClientError(client.wait(operationId, 'repair', { timeoutMs: 30_000 }));
    error.code.should.equal('WAIT_TIMEOUT');
    error.message.should.containEql(operationId);
    error.message.should.containEql('30 s');
    (clock.time - 1000).should.be.within(30_000, 31_000);
  });

  it('keeps its deadline also while the service answers nothing at all', async () => {
    service.fault('GET', STATUS, neverReply, 99);
    const error = await expectClientError(client.wait(service.addOperation('repair'), 'repair', { timeoutMs: 300 }));
    error.code.should.equal('WAIT_TIMEOUT');
    error.message.should.containEql('its status could not be read');
  });

  it('waits an hour where nothing else is said', async () => {
    const operationId = service.addOperation('repair', { looksLeft: 1e9 });
    (await expectClientError(client.wait(operationId, 'repair'))).code.should.equal('WAIT_TIMEOUT');
    (clock.time - 1000).should.be.within(3_600_000, 3_601_000);
  });

  it('goes on through failures that may pass, as long as its deadline is not over', async () => {
    const operationId = service.addOperation('repair', { looksLeft: 1 });
    for (const fault of [
      dropConnection,
      refusal(500, 'oops'),
      refusal(429, 'busy'),
      answer(200, '<html>'),
      refusal(503, 'later'),
    ]) {
      service.fault('GET', STATUS, fault, 3);
    }
    (await client.wait(operationId, 'repair')).status.isCompleted.should.be.true();
    service.count('GET', STATUS).should.equal(16);
  });

  it('goes on when the service is away for a while', async () => {
    const operationId = service.addOperation('repair', { looksLeft: 3 });
    let looks = 0;
    const { port } = service;
    const waiting = client.wait(operationId, 'repair', { onStatus: () => (looks += 1) });
    while (looks === 0) await new Promise((resolve) => setImmediate(resolve));
    await service.stop();
    await service.listen(port);
    (await waiting).status.isCompleted.should.be.true();
  });

  it('ignores the status of another operation', async () => {
    const operationId = service.addOperation('repair');
    service.fault('GET', STATUS, answer(200, { operationId: randomUUID(), isCompleted: true, isSuccessful: true }), 3);
    (await client.wait(operationId, 'repair')).status.operationId.should.equal(operationId);
  });

  it('bears for ten seconds that the operation is unknown: the news of it may be slow', async () => {
    const operationId = service.addOperation('repair', { looksLeft: 2 });
    service.fault('GET', STATUS, refusal(404, 'unknown'), 8);
    (await client.wait(operationId, 'repair')).status.isCompleted.should.be.true();
  });

  it('fails with NOT_FOUND when that does not change', async () => {
    const error = await expectClientError(client.wait(randomUUID(), 'repair'));
    error.should.have.properties({ code: 'NOT_FOUND', statusCode: 404 });
    (clock.time - 1000).should.be.within(10_000, 13_000);
  });

  it('fails where the service refuses the request itself, again and again', async () => {
    service.fault('GET', STATUS, refusal(400, 'what?'), 99);
    (await expectClientError(client.wait(randomUUID(), 'repair'))).code.should.equal('REFUSED');
    (clock.time - 1000).should.be.within(10_000, 13_000);
  });

  it('bears for ten seconds that the result of a completed operation is not there yet', async () => {
    const operationId = service.addOperation('repair');
    service.fault('GET', RESULT, refusal(404, 'not yet'), 4);
    service.fault('GET', RESULT, refusal(409, 'not yet'), 4);
    (await client.wait(operationId, 'repair')).result.should.have.property('resultId');
    service.fault('GET', RESULT, refusal(404, 'never'), 999);
    (await expectClientError(client.wait(operationId, 'repair'))).code.should.equal('NOT_FOUND');
  });

  it('makes no request before the pause is over that the service asked for', async () => {
    const operationId = service.addOperation('repair');
    service.fault('GET', STATUS, refusal(429, 'busy', { 'Retry-After': '60' }));
    const before = clock.time;
    await client.wait(operationId, 'repair');
    (clock.time - before).should.be.above(60_000);
    service.count('GET', STATUS).should.equal(2);
  });

  it('serves many waits with few connections, each once', async () => {
    const ids = Array.from({ length: 300 }, (_id, index) =>
      service.addOperation('repair', { looksLeft: 1 + (index % 4) }),
    );
    // By the real clock: one that jumps would be at the deadline as soon as nothing can be done.
    const limits = { pollsPerSecond: 10_000, pollMinMs: 10, pollMaxMs: 10 };
    await client.close();
    client = createClient({ account: service.account, limits });
    const ended = await Promise.all(ids.map((id) => client.wait(id, 'repair')));
    ended.map(({ result }) => result.operationId).should.eql(ids);
    service.sockets.size.should.be.belowOrEqual(8);
    service.count('GET', RESULT).should.equal(300);
  });

  it('shares a scheduler with other clients, and leaves it open when it closes', async () => {
    const pollScheduler = createPollScheduler(clock);
    const [first, second] = [1, 2].map(() => createClient({ account: service.account, pollScheduler, ...clock }));
    await first?.wait(service.addOperation('repair'), 'repair');
    await first?.close();
    should((await second?.wait(service.addOperation('repair'), 'repair'))?.status.isCompleted).be.true();
    await second?.close();
    pollScheduler.close();
  });

  describe('for an operation whose callback is expected', () => {
    /** Callbacks as they come in the test. */
    const source = (isExpected = () => true) => {
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

    it('looks at once when it has come already', async () => {
      const operationId = service.addOperation('repair');
      const { isExpected } = source();
      const listen = (onCallback: () => void) => {
        onCallback();
        return () => undefined;
      };
      await client.wait(operationId, 'repair', { callbacks: { isExpected, listen } });
      clock.sleeps.should.eql([0]);
      service.count('GET', STATUS).should.equal(1);
    });

    it('looks after 5.5 s, at each doubling of the age, and every 20 s then, where none comes', async () => {
      const operationId = service.addOperation('repair', { looksLeft: 6 });
      const callbacks = source();
      await client.wait(operationId, 'repair', { callbacks });
      clock.sleeps.should.eql([5500, 5500, 11_000, 20_000, 20_000, 20_000]);
      callbacks.listeners.size.should.equal(0);
    });

    it('looks as often as without, as soon as they cannot be relied on', async () => {
      const operationId = service.addOperation('repair', { looksLeft: 3 });
      let requested = 0;
      await client.wait(operationId, 'repair', { callbacks: source(() => requested++ === 0) });
      clock.sleeps.map(Math.round).should.eql([5500, 1173, 1292]);
    });

    it('looks no more than once a second, however many come, and believes the status alone', async () => {
      const operationId = service.addOperation('repair', { looksLeft: 5 });
      const callbacks = source();
      const onStatus = () => {
        for (let i = 0; i < 10; i += 1) callbacks.arrive();
      };
      await client.wait(operationId, 'repair', { callbacks, onStatus });
      clock.sleeps.should.eql([5500, 0, 1000, 1000, 1000]);
    });

    it('looks at its usual pace, but no more than once a second, after one that came too early', async () => {
      const operationId = service.addOperation('repair', { looksLeft: 4 });
      const callbacks = source();
      let looks = 0;
      const onStatus = () => {
        looks += 1;
        if (looks === 1) callbacks.arrive();
      };
      await client.wait(operationId, 'repair', { callbacks, onStatus });
      clock.sleeps.map(Math.round).should.eql([5500, 0, 1173, 1292]);
    });
  });

  it('ends with ABORTED by its signal, and looks no more', async () => {
    const stop = new AbortController();
    const operationId = service.addOperation('repair', { looksLeft: 1e9 });
    const onStatus = () => stop.abort();
    const error = await expectClientError(client.wait(operationId, 'repair', { signal: stop.signal, onStatus }));
    error.code.should.equal('ABORTED');
    service.count('GET', STATUS).should.equal(1);
  });

  it('ends with ABORTED when the client is closed', async () => {
    const operationId = service.addOperation('repair', { looksLeft: 1e9 });
    const waiting = expectClientError(client.wait(operationId, 'repair'));
    await client.close();
    (await waiting).code.should.equal('ABORTED');
  });
});
