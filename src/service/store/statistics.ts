import { sql } from 'kysely';
import type { Store } from './database.js';

const count = sql<number>`count(*)`;

/** Creates the aggregate queries for the metrics. */
export function createStatistics(store: Store) {
  return {
    /** Counts the queued and the running operations. */
    unfinishedOperations: async (): Promise<{ queued: number; running: number }> => {
      const queue = await store.selectFrom('queue').select('waiting').executeTakeFirstOrThrow();
      const row = await store
        .selectFrom('operation')
        .select(count.as('count'))
        .where('state', '=', 'running')
        .executeTakeFirstOrThrow();
      return { queued: queue.waiting, running: Number(row.count) };
    },

    /** Counts the callbacks that have not been delivered or given up. */
    dueCallbacks: async (): Promise<number> => {
      const row = await store
        .selectFrom('operation')
        .select(count.as('count'))
        .where('callback_state', '=', 'due')
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
  };
}

export type Statistics = ReturnType<typeof createStatistics>;
