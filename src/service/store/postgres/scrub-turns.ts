import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../database.js';

/** The turns of the processes that share a database to check the next file: one process at a time has it. */
export interface ScrubTurns {
  /**
   * Takes the turn for `holdMs` if it is due. Resolves with the id of the file that was checked last, empty before the first
   * one; `undefined` if another process has the turn, or it is not due yet. `lease`: a random id of this process.
   */
  take(lease: string, holdMs: number): Promise<string | undefined>;
  /** Keeps the turn for `holdMs` from now on. Resolves with whether this process still has it. */
  keep(lease: string, holdMs: number): Promise<boolean>;
  /** Ends the turn. The next one is due after `waitMs`. Ignored if another process has taken it meanwhile. */
  end(lease: string, lastId: string, waitMs: number): Promise<void>;
}

/** The time of the database after so many ms, in ms since 1970. */
function after(ms: number): RawBuilder<number> {
  return sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint + ${Math.ceil(ms)}::bigint`;
}

/** Creates the queries for the turns. They change the one row of the table `scrub`, by the clock of the database. */
export function createScrubTurns(store: Store): ScrubTurns {
  return {
    async take(lease, holdMs) {
      const { rows } = await sql<{ last_id: string }>`
        update scrub set lease = ${lease}, due_at = ${after(holdMs)} where due_at <= ${after(0)}
        returning last_id`.execute(store);
      return rows[0]?.last_id;
    },

    async keep(lease, holdMs) {
      const { rows } = await sql`
        update scrub set due_at = ${after(holdMs)} where lease = ${lease} returning last_id`.execute(store);
      return rows.length > 0;
    },

    async end(lease, lastId, waitMs) {
      await sql`
        update scrub set last_id = ${lastId}, lease = null, due_at = ${after(waitMs)}
        where lease = ${lease}`.execute(store);
    },
  };
}
