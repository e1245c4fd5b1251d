import type { Store } from './database.js';
import type { RetentionTimeRow } from './schema.js';

/** Creates the queries for the stored time of the retention clock. */
export function createRetentionTimes(store: Store) {
  return {
    find: (): Promise<RetentionTimeRow | undefined> =>
      store.selectFrom('retention_time').selectAll().executeTakeFirst(),

    replace: (row: RetentionTimeRow): Promise<void> =>
      store.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('retention_time').execute();
        await transaction.insertInto('retention_time').values(row).execute();
      }),
  };
}

export type RetentionTimes = ReturnType<typeof createRetentionTimes>;
