import 'should';
import { type CancellableRun, cancelRuns } from '../../../../nodes/shared/node/cancel-message.js';
import type { Connection } from '../../../../nodes/shared/service/connection.js';
import type { OperationStatus } from '../../../../src/api/index.js';

const CANCELLED = { isCompleted: true, isSuccessful: false, error: { code: 42217, message: 'Cancelled.' } };
const COMPLETED = { isCompleted: true, isSuccessful: true };

describe('cancelRuns', () => {
  let requestedIds: string[];
  beforeEach(() => {
    requestedIds = [];
  });

  const cancel = (
    runs: CancellableRun[],
    operationId?: string,
    statuses: Record<string, Omit<OperationStatus, 'operationId'>> = {},
  ) => {
    const client = {
      cancel: async (id: string) => {
        requestedIds.push(id);
        return { operationId: id, ...(statuses[id] ?? CANCELLED) };
      },
    };
    // Only this call of the connection is made.
    return cancelRuns(runs, operationId, () => ({ client }) as unknown as Connection, new AbortController().signal);
  };
  const createRun = (operationId?: string, model: object = {}): CancellableRun => {
    const msg = { _msgid: '1', model };
    // Only the wait of the lease is read.
    const lease = operationId && { wait: { msg, operationId, operation: 'repair', startedAt: 0 } };
    return { msg, cancellation: new AbortController(), lease: lease || undefined } as CancellableRun;
  };
  const ended = (operationId: string) => ({ operations: [{ operationId, operation: 'import', isSuccessful: true }] });

  it('counts the operations that were cancelled, not those that had completed', async () => {
    const runs = [createRun('a'), createRun('b'), createRun('c')];
    (await cancel(runs, undefined, { b: COMPLETED })).should.equal(2);
    (await cancel([], 'x', { x: COMPLETED })).should.equal(0);
    (await cancel([], 'x')).should.equal(1);
  });

  it('counts messages that are ended before or between operations, and asks the service nothing', async () => {
    const runs = [createRun(), createRun('a', ended('a'))];
    (await cancel(runs)).should.equal(2);
    requestedIds.should.be.empty();
    for (const { cancellation } of runs)
      cancellation?.signal.reason.should.containEql({ code: 'OPERATION_FAILED', isCancelled: true });
  });

  it('does not count messages that cannot be ended', async () => {
    (await cancel([{ ...createRun(), cancellation: undefined }])).should.equal(0);
  });

  it('does not end a message whose previous operation is named', async () => {
    const run = createRun('a', ended('a'));
    (await cancel([run], 'a', { a: COMPLETED })).should.equal(0);
    run.cancellation?.signal.aborted.should.be.false();
    requestedIds.should.deepEqual(['a']);
  });

  it('does not read messages that cancel', async () => {
    const run = createRun();
    const cancelMessage = { ...run, msg: { ...run.msg, cancel: true } };
    (await cancel([cancelMessage])).should.equal(0);
  });
});
