import { randomUUID } from 'node:crypto';
import type { PgBoss } from 'pg-boss';
import { createLogger } from '../../../../src/service/logger.js';
import type { Store } from '../../../../src/service/store/database.js';
import type { ClaimedOperation, JobQueue } from '../../../../src/service/store/job-queue.js';
import { createOperations, type Operations } from '../../../../src/service/store/operations.js';
import { openPostgres } from '../../../../src/service/store/postgres.js';
import { migrateJobs, openBoss } from '../../../../src/service/store/shared/open-boss.js';
import { createSharedJobQueue, OPERATION_QUEUE } from '../../../../src/service/store/shared/shared-job-queue.js';
import type { PostgresServer } from '../../../helpers/postgres-server.js';
import { usePostgres } from '../../support/use-postgres.js';

/** The shared queue in a database of its own. */
export interface QueueBench {
  server: PostgresServer;
  store: Store;
  boss: PgBoss;
  queue: JobQueue;
  operations: Operations;
  /** Does what pg-boss does to a job whose heartbeat has stopped. */
  loseClaim(operation: ClaimedOperation): Promise<void>;
}

/** Registers hooks that start PostgreSQL for all tests and create a queue for each. `assign` receives the bench. */
export function registerQueueBench(assign: (bench: QueueBench) => void): void {
  const logger = createLogger('silent');
  let server: PostgresServer | undefined;
  let store: Store | undefined;

  usePostgres((started) => (server = started));

  beforeEach(async () => {
    if (!server) throw new Error('PostgreSQL is not running.');
    // Tests hold transactions until another one waits, which takes long on a busy machine.
    const options = { url: await server.createDatabase(randomUUID()), idleTransactionTimeoutMs: 60_000, logger };
    store = await openPostgres(options);
    await migrateJobs(store);
    const boss = await openBoss(store, logger);
    const queue = createSharedJobQueue(store, boss);
    assign({
      ...{ server, store, boss, queue, operations: createOperations(store, queue) },
      async loseClaim({ id }) {
        await boss.fail(OPERATION_QUEUE, id);
      },
    });
  });

  afterEach(() => store?.destroy());
}
