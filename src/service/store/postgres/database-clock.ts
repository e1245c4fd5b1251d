import { sql } from 'kysely';
import type { Logger } from '../../logger.js';
import type { Store } from '../database.js';

const UPDATE_INTERVAL_MS = 60_000;

// A clock that is synchronized is off by less than a second.
const MAX_DIFFERENCE_MS = 5000;

/**
 * The time of the database, in ms since 1970. All processes that share a database use it, so that the clocks of their
 * machines do not matter: for leases, the ages of files, and callbacks.
 */
export interface DatabaseClock {
  now(): number;
  /** Reads the time of the database again. Rejects if the database is not available; the clock goes on then. */
  update(): Promise<void>;
  /** Ends the updates. */
  close(): Promise<void>;
}

/** The dependencies of `startDatabaseClock`. */
export interface DatabaseClockDependencies {
  store: Store;
  logger: Pick<Logger, 'warn'>;
  /** Returns the time of the system clock in ms since 1970. Default: `Date.now`. */
  systemNow?: () => number;
  /** Returns a time in ms that only grows, and not with changes of the system clock. Default: `performance.now`. */
  monotonicNow?: () => number;
}

async function readTime(store: Store): Promise<number> {
  const { rows } = await sql<{ time: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as time`.execute(store);
  if (!rows[0]) throw new Error('The database returned no time.');
  return rows[0].time;
}

/**
 * Starts a clock with the time of the database, and corrects it every minute. Logs a system clock that differs by more
 * than 5 s. The time was read in the middle of the query, as far as is known (Cristian 1989).
 */
export async function startDatabaseClock({
  store,
  logger,
  systemNow = Date.now,
  monotonicNow = () => performance.now(),
}: DatabaseClockDependencies): Promise<DatabaseClock> {
  let offset = 0;
  let wasDifferent = false;
  const now = (): number => Math.floor(offset + monotonicNow());

  const update = async (): Promise<void> => {
    const startedAt = monotonicNow();
    const time = await readTime(store);
    offset = time - (startedAt + monotonicNow()) / 2;
    const differenceMs = systemNow() - now();
    const isDifferent = Math.abs(differenceMs) > MAX_DIFFERENCE_MS;
    if (isDifferent && !wasDifferent) logger.warn({ differenceMs }, 'System clock differs from that of the database');
    wasDifferent = isDifferent;
  };

  await update();
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = update().catch(() => undefined); // the pool has logged it, and the next update follows
  }, UPDATE_INTERVAL_MS);
  timer.unref();
  return {
    now,
    update,
    close: () => {
      clearInterval(timer);
      return running;
    },
  };
}
