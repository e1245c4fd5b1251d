import { sql } from 'kysely';
import type { Store } from './database.js';
import { prepareFirst } from './prepare-query.js';
import { countClaimed, countRequeued, promoteOldLow } from './queue.js';
import type { OperationRow } from './schema.js';

const claimNext = prepareFirst((executor, now: number, maxAttempts: number) =>
  executor
    .updateTable('operation')
    .set({ state: 'running', attempts: sql`attempts + 1`, started_at: now, progress: null })
    .where('id', '=', (query) =>
      query
        .selectFrom('operation')
        .select('id')
        .where('state', '=', 'queued')
        .orderBy('priority', 'desc')
        .orderBy('tag')
        .orderBy('created_at')
        .orderBy(sql`rowid`)
        .limit(1),
    )
    .where('state', '=', 'queued')
    .where('attempts', '<', maxAttempts)
    .returningAll(),
);

/** Claims the next operation as `Operations.claim` does. */
export async function claimOperation(
  store: Store,
  now: number,
  maxAttempts: number,
): Promise<OperationRow | undefined> {
  await promoteOldLow(store, now);
  return store.transaction().execute(async (transaction) => {
    const row = await claimNext(transaction, now, maxAttempts);
    if (row) await countClaimed(transaction, row, now);
    return row;
  });
}

/** Requeues a running operation in its place. `uncountedAttempts`: 1 if this attempt does not count. */
export function requeueOperation(store: Store, id: string, uncountedAttempts: 0 | 1): Promise<void> {
  return store.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('operation')
      .set({ state: 'queued', attempts: sql`attempts - ${uncountedAttempts}`, started_at: null, progress: null })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .returning(['id', 'owner', 'priority', 'tag'])
      .executeTakeFirst();
    if (row) await countRequeued(transaction, row);
  });
}
