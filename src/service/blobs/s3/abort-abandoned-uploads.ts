import type { Logger } from '../../logger.js';
import type { Bucket } from './bucket.js';
import { parseKey } from './object-keys.js';
import type { ObjectRows } from './object-rows.js';

/** The clock of the bucket may differ from that of the database. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/** The dependencies of `abortAbandonedUploads`. */
export interface AbortAbandonedUploadsDependencies {
  bucket: Pick<Bucket, 'listUploads' | 'abortUploads'>;
  rows: Pick<ObjectRows, 'isOpen'>;
  /** The time of the database, in ms since 1970. */
  now: () => number;
  logger: Pick<Logger, 'info'>;
}

/**
 * Aborts the unfinished uploads of objects that nobody writes, a day after their start. Most are aborted with their object.
 * Such a one is left if the bucket got its start after that, or failed at its end. Resolves with their number. Throws
 * `STORAGE_UNAVAILABLE`, and the abort reason of `signal`; what is left is aborted by the next run.
 */
export async function abortAbandonedUploads(
  { bucket, rows, now, logger }: AbortAbandonedUploadsDependencies,
  signal: AbortSignal,
): Promise<number> {
  const before = now() - ABANDONED_AFTER_MS;
  let count = 0;
  for await (const uploads of bucket.listUploads()) {
    for (const { key, startedAt } of uploads) {
      signal.throwIfAborted();
      if (startedAt >= before || parseKey(key).type !== 'bytes' || (await rows.isOpen(key))) continue;
      await bucket.abortUploads(key);
      count += 1;
    }
  }
  if (count > 0) logger.info({ count }, 'Aborted abandoned uploads to the bucket');
  return count;
}
