import { sql } from 'kysely';
import type { Store } from './database.js';

const count = sql<number>`count(*)`;

/** Creates the aggregate queries for the metrics. */
export function createStatistics(store: Store) {
  return {
    /** Counts the queued and the running operations. */
    unfinishedOperations: async (): Promise<{ queued: number; running: number }> => {
      // By user: only the queue of one service counts all of them together, too.
      const waiting = await store
        .selectFrom('user_queue')
        .select(sql<number>`coalesce(sum(waiting), 0)`.as('count'))
        .executeTakeFirstOrThrow();
      const row = await store
        .selectFrom('operation')
        .select(count.as('count'))
        .where('state', '=', 'running')
        .executeTakeFirstOrThrow();
      return { queued: Number(waiting.count), running: Number(row.count) };
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
