import { ServiceError } from '../../service-error.js';
import { StartError } from '../../start-error.js';
import type { Bucket } from './bucket.js';

const KEY = 'store-id';

async function readStoreId(bucket: Bucket): Promise<string | undefined> {
  return (await bucket.getText(KEY))?.trim();
}

/**
 * Checks that a bucket, or the part of it under the prefix, belongs to this store, and marks an unmarked one. A copy of
 * the database has the same id and is not recognized. Throws `BUCKET_FOREIGN` if it belongs to another store,
 * `BUCKET_UNAVAILABLE` if it cannot be read or written.
 */
export async function assertBucketOwner(bucket: Bucket, storeId: string): Promise<void> {
  try {
    if ((await readStoreId(bucket)) === undefined) await bucket.put(KEY, `${storeId}\n`);
    const owner = await readStoreId(bucket); // another store may have marked it at the same time
    if (owner === storeId) return;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new StartError(
      'BUCKET_UNAVAILABLE',
      `Could not use the bucket: ${reason}. Check --s3-bucket, --s3-endpoint, --s3-region and the credentials.`,
    );
  }
  throw new StartError(
    'BUCKET_FOREIGN',
    'The bucket belongs to another database. Use its own bucket or --s3-prefix for each database.',
  );
}
