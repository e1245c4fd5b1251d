import type { BlobStore } from './blobs/blob-store.js';
import { DISK_QUOTA, type Limits } from './defaults.js';
import type { Logger } from './logger.js';
import { freeSpace } from './machine/free-space.js';
import { ServiceError } from './service-error.js';
import type { Files } from './store/files.js';
import type { Operations } from './store/operations.js';
import type { Tokens } from './store/tokens.js';

export interface RetentionParts {
  files: Files;
  operations: Operations;
  tokens: Tokens;
  blobs: BlobStore;
  folder: string;
  /** What kept files may take. Default: the smaller of 20 GiB and 20 % of (free disk + what the folder holds). */
  quotaBytes?: number | undefined;
  limits: Limits;
  now: () => number;
  logger: Logger;
  freeSpace?: ((folder: string) => Promise<number>) | undefined;
}

/** Keeps the disk from filling: knows what is held, clears what expired, and makes room. */
export interface Retention {
  /** Clears everything that is past its time. */
  clear(): Promise<void>;
  /**
   * Sets `bytes` aside, clearing the oldest files where it must; answers the function that gives them free again, to be called when they
   * were kept or discarded. `QUOTA_FULL` where clearing frees too little, `DISK_FULL` where the disk itself has not so much.
   */
  reserve(bytes: number): Promise<() => void>;
}

// So many are looked up at once; a pass takes as many looks as it needs.
const BATCH = 100;

const readQuota = async ({ quotaBytes, folder, ...parts }: RetentionParts, held: number): Promise<number> =>
  quotaBytes ??
  Math.min(DISK_QUOTA.mostBytes, DISK_QUOTA.share * ((await (parts.freeSpace ?? freeSpace)(folder)) + held));

/** Makes the one keeper of a data folder. Calls of it never run at once: two uploads cannot be promised the same room. */
export const createRetention = (parts: RetentionParts): Retention => {
  const { files, operations, tokens, blobs, folder, limits, now, logger } = parts;
  const spaceOf = parts.freeSpace ?? freeSpace;
  let reserved = 0;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => undefined); // told to its own caller
    return next;
  };

  /** Deletes what was made before `madeBefore` until `enough` says so. */
  const removeOldest = async (madeBefore: number, isEnough: (freed: number) => boolean): Promise<number> => {
    const readBefore = now() - limits.recentMs;
    let freed = 0;
    while (!isEnough(freed)) {
      const batch = await files.removable(madeBefore, readBefore, BATCH);
      let count = 0;
      for (const { id, size } of batch) {
        if (isEnough(freed)) break;
        if (!(await files.markDeleted(id, readBefore, now()))) continue;
        await blobs.remove(id);
        freed += size;
        count += 1;
      }
      if (count === 0) break;
      logger.info({ count, freed }, 'deleted the oldest files');
    }
    return freed;
  };

  const clear = async (): Promise<void> => {
    await removeOldest(now() - limits.keepMs, () => false);
    await files.forget(now() - limits.keepRecordsMs);
    await operations.forget(now() - limits.keepRecordsMs);
    await tokens.removeExpired(now());
  };

  const reserve = async (bytes: number): Promise<() => void> => {
    const held = await files.heldBytes();
    const quota = await readQuota(parts, held);
    const missing = held + reserved + bytes - quota;
    const freed = missing > 0 ? await removeOldest(now() - limits.recentMs, (sum) => sum >= missing) : 0;
    if (freed < missing) {
      const message = `${bytes} bytes do not fit into the disk quota of ${Math.floor(quota)} bytes, and what is held is too new to be deleted: wait, or raise --disk-quota`;
      throw new ServiceError('QUOTA_FULL', message);
    }
    if ((await spaceOf(folder)) < reserved + bytes) {
      throw new ServiceError('DISK_FULL', `the disk of the service has no room for ${bytes} bytes more`);
    }
    reserved += bytes;
    let isReserved = true;
    return () => {
      if (isReserved) reserved -= bytes;
      isReserved = false;
    };
  };

  return { clear: () => inTurn(clear), reserve: (bytes) => inTurn(() => reserve(bytes)) };
};
