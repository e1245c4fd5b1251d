import type { Logger } from '../../logger.js';
import { ServiceError } from '../../service-error.js';
import type { Bucket } from './bucket.js';
import { createRecordKey, findRecordedFile, writtenFor } from './object-keys.js';
import type { ObjectRows } from './object-rows.js';

/** An object that nobody has touched for this long was given up by the process that wrote it. */
export const STALE_AFTER_MS = 60 * 60 * 1000;

// One request after the other: enough for 100 deletions a second, and no load that users notice.
const BATCH = 1000;

// The bucket is away then: each further request would take as long as its timeout.
const MAX_FAILURES_IN_A_ROW = 10;

/** The dependencies of `removeObjects`. */
export interface RemoveObjectsDependencies {
  bucket: Pick<Bucket, 'remove' | 'abortUploads'>;
  rows: Pick<ObjectRows, 'discardStale' | 'findDeleting' | 'postpone' | 'forget' | 'isRecordNeeded'>;
  /** The time of the database, in ms since 1970. */
  now: () => number;
  logger: Pick<Logger, 'info' | 'warn'>;
}

async function removeObject(key: string, { bucket, rows }: RemoveObjectsDependencies): Promise<void> {
  const fileId = findRecordedFile(key);
  if (fileId === undefined) {
    await bucket.remove(createRecordKey(writtenFor(key), key));
    await bucket.abortUploads(key);
    await bucket.remove(key);
  } else if (!(await rows.isRecordNeeded(fileId, key))) {
    await bucket.remove(key); // else another attempt of the operation wrote the same record, and was completed
  }
}

/** Deletes an object, and its row last. Resolves with the error of the bucket, if any. Throws that of the database. */
async function tryRemove(key: string, dependencies: RemoveObjectsDependencies): Promise<ServiceError | undefined> {
  const { rows } = dependencies;
  try {
    await removeObject(key, dependencies);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'STORAGE_UNAVAILABLE')) throw error;
    await rows.postpone(key);
    return error;
  }
  await rows.forget(key);
  return undefined;
}

/**
 * Deletes the objects that were given up an hour ago and those that are marked, with their records and their unfinished
 * uploads; the record first. One that cannot be deleted does not stop the others: the next run tries it again, last.
 * Several processes may do so at the same time. Resolves with the number of deleted objects. Throws
 * `STORAGE_UNAVAILABLE` if none could be deleted, or ten in a row could not, and the abort reason of `signal`; what is left
 * is deleted by the next run.
 */
export async function removeObjects(dependencies: RemoveObjectsDependencies, signal: AbortSignal): Promise<number> {
  const { rows, now, logger } = dependencies;
  await rows.discardStale(now() - STALE_AFTER_MS);
  const failed = new Set<string>();
  let count = 0;
  let failuresInARow = 0;
  let lastError: ServiceError | undefined;
  for (;;) {
    const keys = (await rows.findDeleting(BATCH + failed.size)).filter((key) => !failed.has(key));
    if (keys.length === 0) break;
    for (const key of keys) {
      signal.throwIfAborted();
      const error = await tryRemove(key, dependencies);
      if (!error) {
        count += 1;
        failuresInARow = 0;
        continue;
      }
      lastError = error;
      failed.add(key);
      failuresInARow += 1;
      if (failuresInARow === MAX_FAILURES_IN_A_ROW) throw error;
    }
  }
  if (count === 0 && lastError) throw lastError;
  if (count > 0) logger.info({ count }, 'Deleted objects from the bucket');
  if (failed.size > 0) logger.warn({ count: failed.size }, 'Could not delete objects: the next run tries them again');
  return count;
}
