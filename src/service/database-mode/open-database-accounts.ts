import type { Logger } from '../logger.js';
import { type Accounts, createAccounts } from '../store/accounts.js';
import { startDatabaseClock } from '../store/postgres/database-clock.js';
import { openPostgres, type PostgresOptions } from '../store/postgres.js';
import { openBoss } from '../store/shared/open-boss.js';
import { createSharedJobQueue } from '../store/shared/shared-job-queue.js';

/**
 * Opens the users and clients of a service on many machines, which may be running. The tables must be up to date. Throws
 * like `openPostgres`. `close` closes the connections.
 */
export async function openDatabaseAccounts(
  database: Pick<PostgresOptions, 'url'>,
  logger: Logger,
): Promise<{ accounts: Accounts; close: () => Promise<void> }> {
  const store = await openPostgres({ ...database, maxConnections: 2, migrates: false, logger });
  try {
    const queue = createSharedJobQueue(store, await openBoss(store, logger));
    const { now, close } = await startDatabaseClock({ store, logger });
    return {
      accounts: createAccounts(store, () => Promise.resolve(), queue, now),
      close: () => close().then(() => store.destroy()),
    };
  } catch (error) {
    await store.destroy();
    throw error;
  }
}
