import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import should from 'should';
import { createAccounts } from '../../../src/service/store/accounts.js';
import { createCancellations } from '../../../src/service/store/cancellations.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { createFiles } from '../../../src/service/store/files.js';
import type { JobQueue } from '../../../src/service/store/job-queue.js';
import type { Operations } from '../../../src/service/store/operations.js';
import { eventually } from '../../helpers/processes.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { recordOf } from '../../service/support/records.js';
import { registerQueueBench } from './support/queue-bench.js';

describe('the renewal of claims', () => {
  let store: Store;
  let queue: JobQueue;
  let operations: Operations;
  registerQueueBench((opened) => {
    ({ store, queue, operations } = opened);
  });

  const claimNew = async (input?: string) => {
    await operations.add(queuedOperation({ owner: 'me', ...(input && { input_id: input }) }));
    const { id = '', lease = null } = (await queue.claim(2)) ?? {};
    return { id, lease };
  };

  /** Runs a statement in a transaction that stays open. Resolves with a function that ends it. */
  const holdOpen = async (statement: RawBuilder<unknown>): Promise<() => Promise<void>> => {
    let end: (() => void) | undefined;
    const transaction = store.transaction().execute(async (executor) => {
      await statement.execute(executor);
      await new Promise<void>((resolve) => (end = resolve));
    });
    await eventually('the row is locked', () => end !== undefined);
    return () => {
      end?.();
      return transaction;
    };
  };

  const holdUsage = () =>
    holdOpen(sql`insert into usage (owner, bytes) values ('me', 1)
      on conflict (owner) do update set bytes = usage.bytes`);

  const untilWaiting = (): Promise<unknown> =>
    eventually('a transaction waits', async () => {
      const { rows } = await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`.execute(store);
      return rows.length > 0;
    });

  it('does not wait for a completion that waits for the storage use of its user', async () => {
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

  it('does not wait for a deletion that cancels an operation and waits for the storage use of its user', async () => {
    const input = recordOf(randomUUID(), 'bytes');
    await createFiles(store).add(createFileRow(input, 1));
    const [cancelled, other] = [await claimNew(input.id), await claimNew()];
    const endTransaction = await holdUsage();
    const deletion = createCancellations(store, queue).deleteFile(input.id, 'me', { now: 3, retainedFrom: 3 });
    try {
      await untilWaiting();
      should(await queue.keepAlive([cancelled, other])).eql([]);
    } finally {
      await endTransaction();
    }
    should(await deletion).match({ cancelledIds: [cancelled.id] });
    should(await queue.keepAlive([cancelled, other])).eql([cancelled]);
  });

  it('does not wait for the removal of a user that waits until the accounts are written', async () => {
    const accounts = createAccounts(store, undefined, queue);
    await accounts.addUser({ id: 'me', username: 'ann', password_hash: '', created_at: 1 });
    const [cancelled, other] = [await claimNew(), await claimNew()];
    const endTransaction = await holdOpen(sql`update account_serial set serial = serial`);
    const removal = accounts.removeUser('ann');
    try {
      await untilWaiting();
      should(await queue.keepAlive([cancelled, other])).eql([]);
    } finally {
      await endTransaction();
    }
    should(await removal).be.true();
    should(await queue.keepAlive([cancelled, other])).eql([cancelled, other]);
  });
});
