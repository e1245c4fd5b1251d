import type { Transaction } from 'kysely';
import { createProblemEntry } from '../problem-entries.js';
import type { Store } from './database.js';
import { lockStored, lockUnfinished } from './file-locks.js';
import { createJobQueue, type JobQueue } from './job-queue.js';
import { type CompletionTime, completedColumns } from './operations.js';
import { lockObject, releaseObject } from './release-object.js';
import type { OperationRow, Schema } from './schema.js';

/** A file or model that was deleted, and the ids of the operations that this cancelled. */
export interface DeletedFile {
  kind: 'file' | 'model';
  cancelledIds: string[];
}

/**
 * The columns of the operations to cancel. Without the owner for those of an input, whose owner they have: SQLite would
 * search all operations of the owner.
 */
type Selection = Pick<OperationRow, 'id' | 'owner'> | Pick<OperationRow, 'owner'> | Pick<OperationRow, 'input_id'>;

const MESSAGE = 'The operation was cancelled. Start it again if you need its result.';

/** Completes the selected operations in a state as cancelled. Resolves with their ids. */
async function completeAll(
  transaction: Transaction<Schema>,
  state: 'queued' | 'running',
  selection: Selection,
  time: CompletionTime,
): Promise<string[]> {
  const rows = await transaction
    .updateTable('operation')
    .set({
      ...completedColumns(time),
      is_successful: 0,
      error: JSON.stringify(createProblemEntry('CANCELLED', MESSAGE)),
    })
    .where((query) => query.and(selection))
    .where('state', '=', state)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Completes the selected operations of a user that are queued or running as cancelled. Resolves with their ids. To be called
 * last in a transaction: it locks their jobs.
 */
export async function cancelAll(
  transaction: Transaction<Schema>,
  owner: string,
  selection: Selection,
  time: CompletionTime,
  queue: Pick<JobQueue, 'cancel'>,
): Promise<string[]> {
  await lockUnfinished(transaction, selection); // one that is requeued meanwhile would be in neither state
  const queuedIds = await completeAll(transaction, 'queued', selection, time);
  const runningIds = await completeAll(transaction, 'running', selection, time);
  await queue.cancel(transaction, owner, { queuedIds, runningIds });
  return [...queuedIds, ...runningIds];
}

/**
 * Creates the queries by which a user ends operations. A cancelled operation is *completed*, so that no worker claims it
 * or completes it again, and its callback is due.
 */
export function createCancellations(store: Store, queue: Pick<JobQueue, 'cancel'> = createJobQueue(store)) {
  return {
    /** Cancels an unfinished operation of this user. Resolves with whether this call completed it. */
    cancel: (id: string, owner: string, time: CompletionTime): Promise<boolean> =>
      store
        .transaction()
        .execute(async (transaction) => (await cancelAll(transaction, owner, { id, owner }, time, queue)).length > 0),

    /**
     * Marks a stored file or model of this user as deleted, its object too, and cancels the unfinished operations whose
     * input it is, in one transaction. Its bytes may be removed then. Resolves with `undefined` if it is not stored.
     */
    deleteFile: (id: string, owner: string, time: CompletionTime): Promise<DeletedFile | undefined> =>
      store.transaction().execute(async (transaction) => {
        const file = await lockStored(transaction, id);
        if (file?.owner !== owner) return undefined;
        await lockUnfinished(transaction, { input_id: id });
        const object = await lockObject(transaction, id);
        const deleted = { deleted_at: time.retainedFrom, damaged_at: null };
        await transaction.updateTable('file').set(deleted).where('id', '=', id).execute();
        if (object) await releaseObject(transaction, object, time.now);
        return { kind: file.kind, cancelledIds: await cancelAll(transaction, owner, { input_id: id }, time, queue) };
      }),
  };
}

export type Cancellations = ReturnType<typeof createCancellations>;
