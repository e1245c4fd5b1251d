import { sql } from 'kysely';
import type { Store } from './database.js';

/** The stored bytes, as far as they decide whether one user may store more. */
export interface UsageSummary {
  /** Of all users. */
  totalBytes: number;
  /** Of this user. */
  ownBytes: number;
  /** The quota of this user. Null: the default of the service. */
  quotaBytes: number | null;
}

/** Creates the queries for the stored bytes of each user. They read one row per user, however many files there are. */
export function createUsage(store: Store) {
  return {
    summarize: async (owner: string): Promise<UsageSummary> => {
      const row = await store
        .selectFrom('usage')
        .select((query) => [
          sql<number>`coalesce(sum(bytes), 0)`.as('total'),
          sql<number>`coalesce(sum(case when owner = ${owner} then bytes end), 0)`.as('own'),
          query.selectFrom('user').select('quota_bytes').where('id', '=', owner).as('quota'),
        ])
        .executeTakeFirstOrThrow();
      return {
        totalBytes: Number(row.total),
        ownBytes: Number(row.own),
        quotaBytes: row.quota === null ? null : Number(row.quota),
      };
    },

    /** Returns the stored bytes of each user who has any. */
    byOwner: async (): Promise<Map<string, number>> => {
      const rows = await store.selectFrom('usage').selectAll().where('bytes', '>', 0).execute();
      return new Map(rows.map(({ owner, bytes }) => [owner, Number(bytes)]));
    },
  };
}

export type Usage = ReturnType<typeof createUsage>;
