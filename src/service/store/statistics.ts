import { sql } from 'kysely';
import type { Store } from './database.js';

/** The state of a whole service, whichever process reads it. */
export interface ServiceState {
  queuedCount: number;
  runningCount: number;
  /** When the oldest of the queued operations was started, in ms since 1970. Null if none is queued. */
  oldestQueuedAt: number | null;
  /** The callbacks that have not been delivered or given up. */
  dueCallbackCount: number;
  /** The size of all stored files and models. */
  storedBytes: number;
}

/** Creates the aggregate query for the metrics. */
export function createStatistics(store: Store) {
  return {
    /** Reads the state by one statement. It reads a row per user and per unfinished operation. */
    read: async (): Promise<ServiceState> => {
      // The queued ones by user: only the queue of one service counts all of them together, too.
      const { rows } = await sql<Record<keyof ServiceState, number | null>>`
        select
          (select coalesce(sum(waiting), 0) from user_queue) as "queuedCount",
          (select count(*) from operation where state = 'running') as "runningCount",
          (select min(created_at) from operation where state = 'queued') as "oldestQueuedAt",
          (select count(*) from operation where callback_state = 'due') as "dueCallbackCount",
          (select coalesce(sum(bytes), 0) from usage) as "storedBytes"`.execute(store);
      const [row] = rows;
      if (!row) throw new Error('Could not read the state of the service.');
      return {
        queuedCount: Number(row.queuedCount),
        runningCount: Number(row.runningCount),
        oldestQueuedAt: row.oldestQueuedAt === null ? null : Number(row.oldestQueuedAt),
        dueCallbackCount: Number(row.dueCallbackCount),
        storedBytes: Number(row.storedBytes),
      };
    },
  };
}

export type Statistics = ReturnType<typeof createStatistics>;
