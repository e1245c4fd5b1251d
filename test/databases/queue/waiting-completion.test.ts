import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import should from 'should';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import type { JobQueue } from '../../../src/service/store/job-queue.js';
import type { Operations } from '../../../src/service/store/operations.js';
import { eventually } from '../../helpers/processes.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { recordOf } from '../../service/support/records.js';
import { registerQueueBench } from './support/queue-bench.js';

describe('a completion that waits for the storage use of its user, which another transaction changes', () => {
  let store: Store;
  let queue: JobQueue;
  let operations: Operations;
  registerQueueBench((opened) => {
    ({ store, queue, operations } = opened);
  });

  const claimNew = async () => {
    await operations.add(queuedOperation({ owner: 'me' }));
    const { id = '', lease = null } = (await queue.claim(2)) ?? {};
    return { id, lease };
  };

  /** Changes the row of the user in a transaction that stays open. Resolves with a function that ends it. */
  const holdUsage = async (): Promise<() => Promise<void>> => {
    let end: (() => void) | undefined;
    const transaction = store.transaction().execute(async (executor) => {
      await sql`insert into usage (owner, bytes) values ('me', 1)`.execute(executor);
      await new Promise<void>((resolve) => (end = resolve));
    });
    await eventually('the row is changed', () => end !== undefined);
    return () => {
      end?.();
      return transaction;
    };
  };

  const untilWaiting = (): Promise<unknown> =>
    eventually('the completion waits', async () => {
      const { rows } = await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`.execute(store);
      return rows.length > 0;
    });

  it('does not keep its claim, and those of other operations, from being renewed', async () => {
    const [completed, other] = [await claimNew(), await claimNew()];
    const output = createFileRow(recordOf(randomUUID(), 'bytes', { kind: 'model', operationId: completed.id }), 3);
    const endTransaction = await holdUsage();
    const completion = { isSuccessful: true, output, result: '{}', report: null } as const;
    const isCompleted = operations.complete(completed.id, completion, 3, 3, completed.lease);
    try {
      await untilWaiting();
      await queue.setProgress(completed, 0.5);
      should(await queue.keepAlive([completed, other])).eql([]);
    } finally {
      await endTransaction();
    }
    should(await isCompleted).be.true();
    should(await operations.find(completed.id, 'me')).match({ state: 'completed', progress: 1 });
  });
});
