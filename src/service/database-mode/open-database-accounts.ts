import { assertBucketOwner } from '../blobs/s3/assert-bucket-owner.js';
import { type Bucket, openBucket } from '../blobs/s3/bucket.js';
import type { BucketOptions } from '../blobs/s3/bucket-options.js';
import type { Logger } from '../logger.js';
import { createCleanup } from '../machine/cleanup.js';
import { type Accounts, createAccounts } from '../store/accounts.js';
import type { Store } from '../store/database.js';
import { createIdentity } from '../store/identity.js';
import { startDatabaseClock } from '../store/postgres/database-clock.js';
import { openPostgres, type PostgresOptions } from '../store/postgres.js';
import { openBoss } from '../store/shared/open-boss.js';
import { createSharedJobQueue } from '../store/shared/shared-job-queue.js';
import { writeAccountsObject } from './accounts-object.js';

/** Where the users and clients of a service on many machines are. */
export interface DatabaseAccountsOptions {
  database: Pick<PostgresOptions, 'url'>;
  /** Gets a copy of them after each change. Default: a worker writes it with its next maintenance. */
  bucket?: BucketOptions | undefined;
}

/** Copies the changed accounts to the bucket. Throws if that fails, although the change was made. */
async function copyAccounts(bucket: Bucket, store: Store): Promise<void> {
  try {
    await writeAccountsObject(bucket, store);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The change was made, but could not be copied to the bucket: ${reason} A worker copies it within 10 minutes.`;
    throw new Error(message, { cause });
  }
}

/**
 * Opens the users and clients of a service on many machines, which may be running. The tables must be up to date. Throws
 * like `openPostgres` and `assertBucketOwner`. `close` closes the connections.
 */
export async function openDatabaseAccounts(
  options: DatabaseAccountsOptions,
  logger: Logger,
): Promise<{ accounts: Accounts; close: () => Promise<void> }> {
  const cleanup = createCleanup();
  try {
    const store = await openPostgres({ ...options.database, maxConnections: 2, migrates: false, logger });
    cleanup.add(() => store.destroy());
    const queue = createSharedJobQueue(store, await openBoss(store, logger));
    const { now, close } = await startDatabaseClock({ store, logger });
    cleanup.add(close);
    const bucket = options.bucket && openBucket(options.bucket, { logger });
    if (bucket) {
      cleanup.add(() => bucket.close());
      await assertBucketOwner(bucket, (await createIdentity(store).find()).store_id);
    }
    const onChanged = bucket ? () => copyAccounts(bucket, store) : undefined;
    return { accounts: createAccounts(store, onChanged, queue, now), close: cleanup.run };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}
