import { sql } from 'kysely';
import type { Store } from './database.js';

const count = sql<number>`count(*)`;

/** Creates the aggregate queries for the metrics. */
export function createStatistics(store: Store) {
  return {
    /** Counts the queued and the running operations. */
    unfinishedOperations: async (): Promise<{ queued: number; running: number }> => {
      const rows = await store
        .selectFrom('operation')
        .select(['state', count.as('count')])
        .where('state', 'in', ['queued', 'running'])
        .groupBy('state')
        .execute();
      const countOf = (state: string): number => Number(rows.find((row) => row.state === state)?.count ?? 0);
      return { queued: countOf('queued'), running: countOf('running') };
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
