import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import type { RetentionClock } from '../retention-clock.js';
import type { EvictionFilter, StoredFile } from '../store/evictable-files.js';
import type { Files } from '../store/files.js';
import type { BlobStore } from './blob-store.js';
import { markDeleted } from './mark-deleted.js';

/** The dependencies of `createEviction`. */
export interface EvictionDependencies {
  files: Files;
  blobs: Pick<BlobStore, 'remove'>;
  limits: Limits;
  clock: Pick<RetentionClock, 'now'>;
  logger: Logger;
}

/**
 * Deletes stored files, the oldest first. Never those that were read in the last hour, or that are the input of an
 * unfinished operation.
 */
export interface Eviction {
  /** Deletes up to `limit` (default: 5000) of the expired files of all users. Resolves with their number: 0 if none is left. */
  removeExpired(limit?: number): Promise<number>;
  /**
   * Deletes files of one user that are older than an hour until `wantedBytes` are freed. Resolves with the freed bytes:
   * fewer if there are no more such files.
   */
  evict(owner: string, wantedBytes: number): Promise<number>;
  /** Computes how many bytes `evict` would free. Stops counting beyond `wantedBytes`. */
  sumEvictable(owner: string, wantedBytes: number): Promise<number>;
}

// Files per query; an eviction runs as many queries as it needs.
const BATCH = 100;
// A batch syncs each folder that it deletes from, of which there are 256. After a restored backup all files may expire
// at once.
const EXPIRY_BATCH = 5000;

/**
 * Creates the functions that delete stored files. They must not run concurrently in one process. Several processes never
 * delete the same file twice.
 */
export function createEviction({ files, blobs, limits, clock, logger }: EvictionDependencies): Eviction {
  const hourAgo = (): number => clock.now() - limits.evictionGraceMs;

  /** Marks a file as deleted. Resolves with false if it is needed meanwhile. */
  const mark = ({ id }: StoredFile, readBefore: number): Promise<boolean> =>
    markDeleted(id, () => files.markDeleted(id, readBefore, clock.now()), blobs);

  /** Deletes up to `limit` of these files. Resolves with their number and their size in bytes. */
  const removeBatch = async (filter: EvictionFilter, wantedBytes: number, limit: number) => {
    const marked: string[] = [];
    let freed = 0;
    for (const file of await files.findEvictable(filter, limit)) {
      if (freed >= wantedBytes || !(await mark(file, filter.readBefore))) continue;
      freed += file.size;
      marked.push(file.id);
    }
    const count = marked.length;
    if (count > 0) {
      await blobs.remove(marked);
      logger.info({ count, freed }, 'Deleted the oldest files');
    }
    return { count, freed };
  };

  const filterFor = (owner: string): EvictionFilter => ({ owner, createdBefore: hourAgo(), readBefore: hourAgo() });

  return {
    async removeExpired(limit = EXPIRY_BATCH) {
      const filter = { createdBefore: clock.now() - limits.retentionMs, readBefore: hourAgo() };
      return (await removeBatch(filter, Number.POSITIVE_INFINITY, limit)).count;
    },

    async evict(owner, wantedBytes) {
      let freed = 0;
      while (freed < wantedBytes) {
        const batch = await removeBatch(filterFor(owner), wantedBytes - freed, BATCH);
        if (batch.count === 0) break;
        freed += batch.freed;
      }
      return freed;
    },

    async sumEvictable(owner, wantedBytes) {
      for (let limit = BATCH; ; limit *= 10) {
        const { bytes, count } = await files.sumEvictable(filterFor(owner), limit);
        if (bytes >= wantedBytes || count < limit) return bytes;
      }
    },
  };
}
