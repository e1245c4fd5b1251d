import type { PgBoss } from 'pg-boss';
import { v7 } from 'uuid';
import type { BucketOptions } from '../blobs/s3/bucket-options.js';
import { type OpenS3Blobs, type OpenS3BlobsOptions, openS3Blobs } from '../blobs/s3/open-s3-blobs.js';
import type { CommonOptions } from '../components/options.js';
import type { Backend } from '../components/shared-components.js';
import { LIMITS } from '../defaults.js';
import { createCleanup } from '../machine/cleanup.js';
import type { PoolWaits } from '../metrics.js';
import { createOperations } from '../store/operations.js';
import { startDatabaseClock } from '../store/postgres/database-clock.js';
import { openPostgres, type PostgresOptions } from '../store/postgres.js';
import { migrateJobs, openBoss } from '../store/shared/open-boss.js';
import { createSharedCallbacks } from '../store/shared/shared-callbacks.js';
import { createSharedJobQueue } from '../store/shared/shared-job-queue.js';
import { warnOfNodeVersion } from '../store/shared/warn-of-node-version.js';
import { updateAccountsObject, writeAccountsObject } from './accounts-object.js';

/** Where the data of a service on many machines are. */
export interface DatabaseModeOptions extends CommonOptions {
  database: Pick<PostgresOptions, 'url' | 'maxConnections' | 'migrates'>;
  bucket: BucketOptions;
  /** See `OpenS3BlobsOptions`. */
  scratch?: OpenS3BlobsOptions['scratch'];
  /** See `OpenS3BlobsOptions`. */
  signal?: OpenS3BlobsOptions['signal'];
}

/** The backend of one process of many. */
export interface DatabaseBackend extends Backend {
  boss: PgBoss;
  removeObjects: OpenS3Blobs['removeObjects'];
  /** Writes the copy of the users and clients in the bucket, unless it is current. */
  updateAccountsObject(): Promise<void>;
  /** Returns how many requests to the bucket failed after all attempts. */
  countBucketFailures(): number;
  poolWaits: PoolWaits;
  /** Closes everything. To be called after all else has ended. */
  close(): Promise<void>;
}

/** Brings the tables up to date, those of the jobs included. Throws like `openPostgres`. */
export async function migrateDatabase({ database, logger }: Pick<DatabaseModeOptions, 'database' | 'logger'>) {
  const store = await openPostgres({ ...database, migrates: true, logger });
  try {
    await migrateJobs(store);
  } finally {
    await store.destroy();
  }
}

/**
 * Opens the database, its jobs and the blobs. Brings the tables up to date before, unless `database.migrates` is false.
 * Throws like `openPostgres` and `openS3Blobs`. After an error nothing remains open.
 */
export async function openBackend(options: DatabaseModeOptions): Promise<DatabaseBackend> {
  const { database, logger, limits } = options;
  warnOfNodeVersion(logger);
  const cleanup = createCleanup();
  try {
    if (database.migrates !== false) await migrateDatabase(options);
    const poolWaits: PoolWaits = { count: 0, totalMs: 0 };
    const onWait = (ms: number): void => {
      poolWaits.count += 1;
      poolWaits.totalMs += ms;
    };
    const store = await openPostgres({ ...database, migrates: false, logger, onWait });
    cleanup.add(() => store.destroy());
    const boss = await openBoss(store, logger);
    cleanup.add(() => boss.stop({ graceful: false }));
    const clock = await startDatabaseClock({ store, logger });
    cleanup.add(clock.close);
    let bucketFailures = 0;
    const s3 = await openS3Blobs(store, {
      ...{ ...options.bucket, scratch: options.scratch, signal: options.signal, now: clock.now, logger },
      onFailure: () => (bucketFailures += 1),
    });
    cleanup.add(s3.close);
    const queue = createSharedJobQueue(store, boss, { limits: { ...LIMITS, ...limits } });
    return {
      ...{
        store,
        boss,
        queue,
        blobs: s3.blobs,
        removeObjects: s3.removeObjects,
        updateAccountsObject: () => updateAccountsObject(s3.bucket, store, logger),
        countBucketFailures: () => bucketFailures,
        poolWaits,
        now: clock.now,
        monotonicNow: () => performance.now(),
        createId: () => v7({ msecs: clock.now() }), // begins with the time, so that tables can be partitioned by it
      },
      operations: createOperations(store, queue),
      callbacks: createSharedCallbacks(store, clock.now),
      isStorageRemote: true,
      damageRemedy: 'Restore their objects from a backup',
      clock: { now: clock.now, save: () => Promise.resolve() },
      onAccountsChanged: () => writeAccountsObject(s3.bucket, store),
      close: cleanup.run,
    };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}
