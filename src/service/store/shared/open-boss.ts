import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Db, fromKysely, PgBoss } from 'pg-boss';
import type { Logger } from '../../logger.js';
import type { Store } from '../database.js';
import { OPERATION_QUEUE } from './shared-job-queue.js';

const HOUR_S = 60 * 60;

// The rules of operations decide how often one is retried and when it has failed, not those of pg-boss, which are out of
// reach: see `createOperations`.
const QUEUE_OPTIONS = {
  retryLimit: 1_000_000,
  retryDelay: 0,
  expireInSeconds: 24 * HOUR_S - 1, // the highest value: a worker that lives renews its claims
  heartbeatSeconds: 10,
  retentionSeconds: 365 * 24 * HOUR_S,
  deleteAfterSeconds: HOUR_S,
};

/** The queue of pg-boss that has one job for each run of the maintenance. */
export const MAINTENANCE_QUEUE = 'maintenance';

// A run that a process did not end is replaced by the next one.
const MAINTENANCE_OPTIONS = {
  retryLimit: 0,
  expireInSeconds: HOUR_S,
  retentionSeconds: HOUR_S,
  deleteAfterSeconds: HOUR_S,
};

/**
 * Returns what pg-boss runs its statements with. Some are whole transactions, with begin and commit in one text: if one
 * fails, it is rolled back, so that the connection does not return to the pool with a failed transaction.
 */
function createStatements(store: Store): Db {
  return {
    executeSql: (text, values) =>
      store.connection().execute(async (connection) => {
        try {
          return await fromKysely(connection).executeSql(text, values);
        } catch (error) {
          await sql`rollback`.execute(connection).catch(() => undefined); // the connection itself may have failed
          throw error;
        }
      }),
  };
}

/**
 * Opens the jobs, by the connections of the store. Nothing runs until `start`. Throws if `migrateJobs` has not created
 * their tables.
 */
export async function openBoss(store: Store, logger: Logger): Promise<PgBoss> {
  const boss = new PgBoss({
    db: createStatements(store),
    migrate: false,
    schedule: false,
    persistWarnings: false,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 2, // an operation whose worker ended is claimed again after 10 to 13 s
    maintenanceIntervalSeconds: 10 * 60,
  });
  boss.on('error', (err) => logger.warn({ err }, 'Could not supervise the jobs'));
  boss.on('warning', ({ message }) => logger.warn({ reason: message }, 'Warning of the queue'));
  // Reads the options of the queue. pg-boss would otherwise do so in the first transactions, over further connections:
  // with a transaction on each connection, all would wait for one.
  await boss.touch(OPERATION_QUEUE, randomUUID());
  return boss;
}

/** Creates or upgrades the tables of the jobs. Many processes may call it at the same time. */
export async function migrateJobs(store: Store): Promise<void> {
  const boss = new PgBoss({ db: createStatements(store), supervise: false, schedule: false });
  const failures: unknown[] = [];
  boss.on('error', (error) => failures.push(error));
  await boss.start();
  try {
    await boss.createQueue(OPERATION_QUEUE, QUEUE_OPTIONS); // changes nothing if it exists
    await boss.createQueue(MAINTENANCE_QUEUE, MAINTENANCE_OPTIONS);
  } finally {
    await boss.stop({ graceful: false });
  }
  if (failures.length > 0) throw failures[0];
}
