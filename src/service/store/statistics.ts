import { sql } from 'kysely';
import type { Store } from './database.js';

const count = sql<number>`count(*)`;

/** Sums over the tables, for whoever watches the service. */
export function createStatistics(store: Store) {
  return {
    unfinishedOperations: async (): Promise<{ queued: number; running: number }> => {
      const rows = await store
        .selectFrom('operation')
        .select(['state', count.as('count')])
        .where('state', 'in', ['queued', 'running'])
        .groupBy('state')
        .execute();
      const of = (state: string): number => Number(rows.find((row) => row.state === state)?.count ?? 0);
      return { queued: of('queued'), running: of('running') };
    },

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
