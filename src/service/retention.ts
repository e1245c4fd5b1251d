import type { BlobStore } from './blobs/blob-store.js';
import { DISK_QUOTA, DISK_SPARE_BYTES, type Limits } from './defaults.js';
import type { Logger } from './logger.js';
import { freeSpace } from './machine/free-space.js';
import { ServiceError } from './service-error.js';
import type { Files, KeptFile } from './store/files.js';
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
  /** Bytes that are free on the disk of a folder. Default: as the system says. */
  freeSpace?: (folder: string) => Promise<number>;
}

const quotaOf = (bytes: number): number => Math.min(DISK_QUOTA.mostBytes, DISK_QUOTA.share * bytes);

// So many are looked up at once; a pass takes as many looks as it needs.
const BATCH = 100;

/**
 * Keeps the disk from filling: knows what is held, clears what expired, and makes room. Its calls run one after the other, so that two uploads
 * are never promised the same room.
 */
export class Retention {
  readonly #parts: RetentionParts;
  #reserved = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** Clears everything that is past its time. */
  clear(): Promise<void> {
    return this.#inTurn(async () => {
      const { files, operations, tokens, limits, now } = this.#parts;
      await this.#removeOldest(now() - limits.keepMs, Number.POSITIVE_INFINITY);
      await files.forget(now() - limits.keepRecordsMs);
      await operations.forget(now() - limits.keepRecordsMs);
      await tokens.removeExpired(now());
    });
  }

  /**
   * Sets `bytes` aside, clearing the oldest files where it must; answers the function that gives them free again, to be called when they
   * were kept or discarded. `QUOTA_FULL` where clearing frees too little, `DISK_FULL` where the disk itself has not so much.
   */
  reserve(bytes: number): Promise<() => void> {
    return this.#inTurn(async () => {
      await this.#makeRoom(bytes);
      this.#reserved += bytes;
      let isReserved = true;
      return () => {
        if (isReserved) this.#reserved -= bytes;
        isReserved = false;
      };
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined); // told to its own caller
    return next;
  }

  async #makeRoom(bytes: number): Promise<void> {
    const { files, limits, now, folder } = this.#parts;
    const spaceOf = this.#parts.freeSpace ?? freeSpace;
    const held = await files.heldBytes();
    const quota = this.#parts.quotaBytes ?? quotaOf((await spaceOf(folder)) + held);
    const missing = held + this.#reserved + bytes - quota;
    const freed = missing > 0 ? await this.#removeOldest(now() - limits.recentMs, missing) : 0;
    if (freed < missing) {
      const message = `${bytes} bytes do not fit into the disk quota of ${Math.floor(quota)} bytes, and what is held is too new to be deleted: wait, or raise --disk-quota`;
      throw new ServiceError('QUOTA_FULL', message);
    }
    if ((await spaceOf(folder)) < this.#reserved + bytes + DISK_SPARE_BYTES) {
      throw new ServiceError(
        'DISK_FULL',
        `the disk of the service has no room for ${bytes} bytes more: free some space`,
      );
    }
  }

  /** Deletes what was made before `madeBefore`, oldest first, until `wanted` bytes are free; answers how many are. */
  async #removeOldest(madeBefore: number, wanted: number): Promise<number> {
    const { files, limits, now, logger } = this.#parts;
    const readBefore = now() - limits.recentMs;
    let freed = 0;
    while (freed < wanted) {
      const batch = await files.removable(madeBefore, readBefore, BATCH);
      let count = 0;
      for (const file of batch) {
        if (freed >= wanted || !(await this.#remove(file, readBefore))) continue;
        freed += file.size;
        count += 1;
      }
      if (count === 0) break;
      logger.info({ count, freed }, 'deleted the oldest files');
    }
    return freed;
  }

  async #remove({ id }: KeptFile, readBefore: number): Promise<boolean> {
    const { files, blobs, now } = this.#parts;
    const isMarked = await files.markDeleted(id, readBefore, now());
    if (isMarked) await blobs.remove(id);
    return isMarked;
  }
}
