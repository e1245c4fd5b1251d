import { requireBucketOwner, withBucketErrors } from '../blobs/s3/assert-bucket-owner.js';
import { type Bucket, openBucket } from '../blobs/s3/bucket.js';
import type { BucketOptions } from '../blobs/s3/bucket-options.js';
import { parseKey } from '../blobs/s3/object-keys.js';
import type { ObjectRows } from '../blobs/s3/object-rows.js';
import { createS3Blobs } from '../blobs/s3/s3-blobs.js';
import { createDamageRecorder } from '../integrity/damage-recorder.js';
import type { VerifyDependencies } from '../integrity/verify-file.js';
import type { Logger } from '../logger.js';
import { createCleanup } from '../machine/cleanup.js';
import { createFiles, type Files } from '../store/files.js';
import { createIdentity } from '../store/identity.js';
import { createObjects } from '../store/objects.js';
import { startDatabaseClock } from '../store/postgres/database-clock.js';
import { openPostgres, type PostgresOptions } from '../store/postgres.js';

/** What a check of all files in a bucket uses. */
export interface VerifiableBucket extends VerifyDependencies {
  files: Files;
  /** Yields the keys of the objects that no row explains, in the order of their keys. */
  findObjectsWithoutRow(): AsyncGenerator<string, void, undefined>;
}

/** The options of `withVerifiableBucket`. */
export interface VerifyBucketOptions {
  database: Pick<PostgresOptions, 'url'>;
  bucket: BucketOptions;
  logger: Logger;
}

/**
 * Yields the keys without a row. An object has its row before its first byte, and may lose both while the list is read: one
 * that has no row is looked for again.
 */
async function* findObjectsWithoutRow(bucket: Bucket, rows: ObjectRows): AsyncGenerator<string, void, undefined> {
  for await (const page of bucket.list()) {
    const keys = page.map(({ key }) => key).filter((key) => parseKey(key).type !== 'own');
    const known = keys.filter((key) => parseKey(key).type !== 'unknown');
    const withoutRow = new Set(await rows.findUnknown(known));
    for (const key of keys) {
      const isKnown = parseKey(key).type !== 'unknown' && !withoutRow.has(key);
      if (!isKnown && (await bucket.exists(key))) yield key;
    }
  }
}

/**
 * Opens the database and the bucket of a service, which may be running, for `use`. Throws like `openPostgres`,
 * `BUCKET_FOREIGN` also for a bucket that no service has used, and `BUCKET_UNAVAILABLE`.
 */
export async function withVerifiableBucket<T>(
  { database, bucket: bucketOptions, logger }: VerifyBucketOptions,
  use: (bucket: VerifiableBucket) => Promise<T>,
): Promise<T> {
  const cleanup = createCleanup();
  try {
    const store = await openPostgres({ ...database, maxConnections: 2, migrates: false, logger });
    cleanup.add(() => store.destroy());
    const { now, close } = await startDatabaseClock({ store, logger });
    cleanup.add(close);
    const bucket = openBucket(bucketOptions, { logger });
    const rows = createObjects(store, now);
    const blobs = createS3Blobs({ bucket, rows, logger });
    cleanup.add(blobs.close);
    await requireBucketOwner(bucket, (await createIdentity(store).find()).store_id);
    const files = createFiles(store);
    const damage = createDamageRecorder({ files, blobs, now, logger });
    const verifiable = { blobs, files, damage, findObjectsWithoutRow: () => findObjectsWithoutRow(bucket, rows) };
    return await withBucketErrors(() => use(verifiable));
  } finally {
    await cleanup.run();
  }
}
