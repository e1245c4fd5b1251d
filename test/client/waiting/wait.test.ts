import should from 'should';
import { createClock } from '../../../src/client/clock.js';
import { CLIENT_DEFAULTS, type Client, createClient, createPollScheduler } from '../../../src/client/index.js';
import { pollIntervalMs } from '../../../src/client/waiting/poll-interval.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { replyWith } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { nextTurn } from '../../helpers/next-turn.js';
import { registerClientBench } from '../support/client-bench.js';

const STATUS = /\/status$/;
const RESULT = /\/result$/;

describe('Client.wait', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  const { reopen } = registerClientBench((bench) => ({ service, clock, client } = bench));

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
    await nextTurn();
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

  it('serves 300 waits with at most 8 connections, and reads each result once', async () => {
    const ids = Array.from({ length: 300 }, (_id, index) =>
      service.addOperation('repair', { pollsLeft: 1 + (index % 4) }),
    );
    // Uses the real clock: an instant clock would reach the deadline as soon as no poll can start.
    const limits = { pollsPerSecond: 10_000, pollMinMs: 10, pollMaxMs: 10 };
    await reopen({ ...createClock(), limits });
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

  it('rejects with OPERATION_FAILED and isCancelled if the operation was cancelled', async () => {
    const error = { code: 42217, message: 'The operation was cancelled. Start it again if you need its result.' };
    const operationId = service.addOperation('repair', { isSuccessful: false, error });
    const rejection = await expectClientError(client.wait(operationId, 'repair'));
    rejection.should.have.properties({ code: 'OPERATION_FAILED', isCancelled: true });
    rejection.message.should.equal(`The repair ${operationId} was cancelled.`);
  });
});
