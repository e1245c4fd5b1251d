import type { Logger } from '../../logger.js';
import type { Bucket } from './bucket.js';
import { createRecordKey, findRecordedFile, writtenFor } from './object-keys.js';
import type { ObjectRows } from './object-rows.js';

/** An object that nobody has touched for this long was given up by the process that wrote it. */
export const STALE_AFTER_MS = 60 * 60 * 1000;

// One request after the other: enough for 100 deletions a second, and no load that users notice.
const BATCH = 1000;

/** The dependencies of `removeObjects`. */
export interface RemoveObjectsDependencies {
  bucket: Bucket;
  rows: Pick<ObjectRows, 'discardStale' | 'findDeleting' | 'forget' | 'isRecordNeeded'>;
  /** The time of the database, in ms since 1970. */
  now: () => number;
  logger: Pick<Logger, 'info'>;
}

async function removeObject(key: string, bucket: Bucket, rows: Pick<ObjectRows, 'isRecordNeeded'>): Promise<void> {
  const fileId = findRecordedFile(key);
  if (fileId === undefined) {
    await bucket.remove(createRecordKey(writtenFor(key), key));
    await bucket.abortUploads(key);
    await bucket.remove(key);
  } else if (!(await rows.isRecordNeeded(fileId, key))) {
    await bucket.remove(key); // else another attempt of the operation wrote the same record, and was completed
  }
}

/**
 * Deletes the objects that were given up an hour ago and those that are marked, with their records and their unfinished
 * uploads; the record first. Several processes may do so at the same time. Resolves with the number of deleted objects.
 * Throws `STORAGE_UNAVAILABLE`, or the abort reason of `signal`; what is left is deleted by the next run.
 */
export async function removeObjects(
  { bucket, rows, now, logger }: RemoveObjectsDependencies,
  signal: AbortSignal,
): Promise<number> {
  await rows.discardStale(now() - STALE_AFTER_MS);
  let count = 0;
  for (;;) {
    const keys = await rows.findDeleting(BATCH);
    for (const key of keys) {
      signal.throwIfAborted();
      await removeObject(key, bucket, rows);
      await rows.forget(key);
      count += 1;
    }
    if (keys.length < BATCH) break;
  }
  if (count > 0) logger.info({ count }, 'Deleted objects from the bucket');
  return count;
}
