import type { Logger } from '../../logger.js';
import type { Store } from '../../store/database.js';
import { createIdentity } from '../../store/identity.js';
import { createObjects } from '../../store/objects.js';
import { abortAbandonedUploads } from './abort-abandoned-uploads.js';
import { assertBucketOwner } from './assert-bucket-owner.js';
import { type Bucket, openBucket } from './bucket.js';
import type { BucketLimits, BucketOptions } from './bucket-options.js';
import { removeObjects } from './remove-objects.js';
import { createS3Blobs, type S3Blobs } from './s3-blobs.js';
import { openOwnScratchFolder } from './scratch-folder.js';

/** The options of `openS3Blobs`. */
export interface OpenS3BlobsOptions extends BucketOptions {
  /** Of a worker: where kernel processes read and write. No other process may use the folder. Default: no scratch files. */
  scratch?: { folder: string; maxBytes: number } | undefined;
  /** Ends the wait for another store that marks the bucket. Default: it ends by itself after 40 s at most. */
  signal?: AbortSignal | undefined;
  /** Called for each request to the bucket that failed after all attempts. */
  onFailure?: (() => void) | undefined;
  /** Default: `DEFAULT_BUCKET_LIMITS`. */
  limits?: BucketLimits | undefined;
  /** The time of the database, in ms since 1970. */
  now: () => number;
  logger: Logger;
}

/** A blob store in a bucket that is open. */
export interface OpenS3Blobs {
  bucket: Bucket;
  blobs: S3Blobs;
  /**
   * Deletes what nobody needs any more, as `removeObjects` and `abortAbandonedUploads`. To be called by one process every
   * few minutes. Throws `BUCKET_FOREIGN` if another database has taken the bucket over.
   */
  removeObjects(signal: AbortSignal): Promise<number>;
  close(): void;
}

/**
 * Opens the blob store in a bucket whose objects have their rows in `store`, a PostgreSQL database. Throws
 * `BUCKET_FOREIGN` or `BUCKET_UNAVAILABLE`, the abort reason of the signal, and `FOLDER_LOCKED` or the error of the disk
 * for the scratch folder.
 */
export async function openS3Blobs(store: Store, options: OpenS3BlobsOptions): Promise<OpenS3Blobs> {
  const { scratch, signal, onFailure, limits, now, logger } = options;
  const rows = createObjects(store, now);
  const bucket = openBucket(options, { logger, onFailure, limits });
  try {
    const { store_id: storeId } = await createIdentity(store).find();
    await assertBucketOwner(bucket, storeId, signal && { signal });
    const own = scratch && (await openOwnScratchFolder(scratch.folder, scratch.maxBytes, logger));
    const blobs = createS3Blobs({ bucket, rows, scratch: own?.scratch, logger });
    return {
      bucket,
      blobs,
      async removeObjects(signal) {
        await assertBucketOwner(bucket, storeId, { signal });
        const count = await removeObjects({ bucket, rows, now, logger }, signal);
        await abortAbandonedUploads({ bucket, rows, now, logger }, signal);
        return count;
      },
      close: () => {
        blobs.close();
        own?.release();
      },
    };
  } catch (error) {
    bucket.close();
    throw error;
  }
}
