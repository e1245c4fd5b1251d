import { DISK_QUOTA, type Limits, MIN_FREE_DISK_BYTES } from '../defaults.js';
import type { Logger } from '../logger.js';
import { freeSpace } from '../machine/free-space.js';
import { ServiceError } from '../service-error.js';
import type { Files, KeptFile } from '../store/files.js';
import type { Operations } from '../store/operations.js';
import type { Tokens } from '../store/tokens.js';
import type { BlobStore } from './blob-store.js';

export interface StorageQuotaDependencies {
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

function quotaOf(bytes: number): number {
  return Math.min(DISK_QUOTA.maxBytes, DISK_QUOTA.fraction * bytes);
}

// So many are looked up at once; a pass takes as many looks as it needs.
const BATCH = 100;

/**
 * Keeps the disk from filling: knows what is held, clears what expired, and makes room. Its calls run one after the other, so that two uploads
 * are never promised the same room.
 */
export class StorageQuota {
  readonly #dependencies: StorageQuotaDependencies;
  #reserved = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(dependencies: StorageQuotaDependencies) {
    this.#dependencies = dependencies;
  }

  /** Clears everything that is past its time. */
  purgeExpired(): Promise<void> {
    return this.#serialize(async () => {
      const { files, operations, tokens, limits, now } = this.#dependencies;
      await this.#evictOldest(now() - limits.retentionMs, Number.POSITIVE_INFINITY);
      await files.purgeDeleted(now() - limits.recordRetentionMs);
      await operations.purgeOld(now() - limits.recordRetentionMs);
      await tokens.removeExpired(now());
    });
  }

  /**
   * Sets `bytes` aside, clearing the oldest files where it must; answers the function that gives them free again, to be called when they
   * were kept or discarded. `QUOTA_FULL` where clearing frees too little, `DISK_FULL` where the disk itself has not so much.
   */
  reserve(bytes: number): Promise<() => void> {
    return this.#serialize(async () => {
      await this.#ensureSpace(bytes);
      this.#reserved += bytes;
      let isReserved = true;
      return () => {
        if (isReserved) this.#reserved -= bytes;
        isReserved = false;
      };
    });
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined); // told to its own caller
    return next;
  }

  async #ensureSpace(bytes: number): Promise<void> {
    const { files, limits, now, folder } = this.#dependencies;
    const spaceOf = this.#dependencies.freeSpace ?? freeSpace;
    const held = await files.totalBytes();
    const quota = this.#dependencies.quotaBytes ?? quotaOf((await spaceOf(folder)) + held);
    const shortfall = held + this.#reserved + bytes - quota;
    const freed = shortfall > 0 ? await this.#evictOldest(now() - limits.evictionGraceMs, shortfall) : 0;
    if (freed < shortfall) {
      const message = `${bytes} bytes do not fit into the disk quota of ${Math.floor(quota)} bytes, and what is held is too new to be deleted: wait, or raise --disk-quota`;
      throw new ServiceError('QUOTA_FULL', message);
    }
    if ((await spaceOf(folder)) < this.#reserved + bytes + MIN_FREE_DISK_BYTES) {
      throw new ServiceError(
        'DISK_FULL',
        `the disk of the service has no room for ${bytes} bytes more: free some space`,
      );
    }
  }

  /** Deletes what was made before `createdBefore`, oldest first, until `wanted` bytes are free; answers how many are. */
  async #evictOldest(createdBefore: number, wanted: number): Promise<number> {
    const { files, limits, now, logger } = this.#dependencies;
    const readBefore = now() - limits.evictionGraceMs;
    let freed = 0;
    while (freed < wanted) {
      const batch = await files.findEvictable(createdBefore, readBefore, BATCH);
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
    const { files, blobs, now } = this.#dependencies;
    const isMarked = await files.markDeleted(id, readBefore, now());
    if (isMarked) await blobs.remove(id);
    return isMarked;
  }
}
