import { DISK_QUOTA, type Limits, MIN_FREE_DISK_BYTES } from '../defaults.js';
import type { Logger } from '../logger.js';
import { freeSpace } from '../machine/free-space.js';
import type { RetentionClock } from '../retention-clock.js';
import { isDiskFull, ServiceError } from '../service-error.js';
import type { Files, StoredFile } from '../store/files.js';
import type { IdempotencyKeys } from '../store/idempotency-keys.js';
import type { Operations } from '../store/operations.js';
import type { Tokens } from '../store/tokens.js';
import type { BlobStore } from './blob-store.js';
import type { SpareFile } from './spare-file.js';

/** The dependencies and options of a `StorageQuota`. */
export interface StorageQuotaDependencies {
  files: Files;
  operations: Operations;
  tokens: Tokens;
  keys: Pick<IdempotencyKeys, 'purge'>;
  blobs: BlobStore;
  folder: string;
  spare: Pick<SpareFile, 'missingBytes'>;
  /** Space for stored files. Default: 20 % of (free disk space + stored files), at most 20 GiB. */
  quotaBytes?: number | undefined;
  limits: Limits;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
  logger: Logger;
  /** Resolves with the free bytes on the disk of a folder. Default: `statfs`. */
  freeSpace?: (folder: string) => Promise<number>;
}

function computeQuota(bytes: number): number {
  return Math.min(DISK_QUOTA.maxBytes, DISK_QUOTA.fraction * bytes);
}

// Files per query; an eviction runs as many queries as it needs.
const BATCH = 100;
// A batch syncs each folder that it deletes from, of which there are 256. After a restored backup all files may expire
// at once.
const EXPIRY_BATCH = 5000;

/**
 * Enforces the disk quota: deletes expired files, reserves space for new ones and evicts the oldest if needed. Calls
 * are serialized, so that two uploads never reserve the same space.
 */
export class StorageQuota {
  readonly #dependencies: StorageQuotaDependencies;
  #reserved = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(dependencies: StorageQuotaDependencies) {
    this.#dependencies = dependencies;
  }

  /** Deletes all expired files, records, tokens and idempotency keys. */
  async purgeExpired(): Promise<void> {
    const { files, blobs, operations, tokens, keys, limits, clock, now } = this.#dependencies;
    const removeBatch = () =>
      this.#evictBatch(clock.now() - limits.retentionMs, Number.POSITIVE_INFINITY, EXPIRY_BATCH);
    while ((await this.#serialize(removeBatch)).count > 0); // uploads reserve their space in between
    await this.#serialize(async () => {
      const purgeBefore = clock.now() - limits.recordRetentionMs;
      await blobs.remove(await files.findPurgeable(purgeBefore)); // a row is forgotten only after its bytes
      await files.purgeDeleted(purgeBefore);
      await operations.purgeOld(purgeBefore);
      await tokens.removeExpired(now());
      await keys.purge(clock.now() - limits.idempotencyKeyMs);
    });
  }

  /**
   * Reserves space, evicting the oldest files if needed. Resolves with the function that releases the reservation, to
   * be called once the bytes were committed or discarded. Throws `QUOTA_FULL` if eviction frees too little, and
   * `DISK_FULL` if the disk has too little space.
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
    this.#last = next.catch(() => undefined); // only the caller gets the error
    return next;
  }

  async #ensureSpace(bytes: number): Promise<void> {
    const { files, limits, clock, folder, spare } = this.#dependencies;
    const spaceOf = this.#dependencies.freeSpace ?? freeSpace;
    const storedBytes = await files.totalBytes();
    const quota = this.#dependencies.quotaBytes ?? computeQuota((await spaceOf(folder)) + storedBytes);
    const shortfall = storedBytes + this.#reserved + bytes - quota;
    const freed = shortfall > 0 ? await this.#evictOldest(clock.now() - limits.evictionGraceMs, shortfall) : 0;
    if (freed < shortfall) {
      const needed = `${bytes} bytes needed, quota ${Math.floor(quota)} bytes, and all stored files are too recent to evict`;
      throw new ServiceError('QUOTA_FULL', `Disk quota exceeded: ${needed}. Retry later, or raise --disk-quota.`);
    }
    if ((await spaceOf(folder)) < this.#reserved + bytes + MIN_FREE_DISK_BYTES + spare.missingBytes()) {
      throw new ServiceError(
        'DISK_FULL',
        `Disk full: no space for ${bytes} more bytes on the disk of the service. Free disk space.`,
      );
    }
  }

  /**
   * Deletes files created before `createdBefore`, oldest first, until `wantedBytes` are freed. Resolves with the freed
   * bytes.
   */
  async #evictOldest(createdBefore: number, wantedBytes: number): Promise<number> {
    let freed = 0;
    while (freed < wantedBytes) {
      const batch = await this.#evictBatch(createdBefore, wantedBytes - freed, BATCH);
      if (batch.count === 0) break;
      freed += batch.freed;
    }
    return freed;
  }

  /** Deletes up to `limit` of these files. Resolves with their number and their size in bytes. */
  async #evictBatch(createdBefore: number, wantedBytes: number, limit: number) {
    const { files, blobs, limits, clock, logger } = this.#dependencies;
    const readBefore = clock.now() - limits.evictionGraceMs;
    const marked: string[] = [];
    let freed = 0;
    for (const file of await files.findEvictable(createdBefore, readBefore, limit)) {
      if (freed >= wantedBytes || !(await this.#mark(file, readBefore))) continue;
      freed += file.size;
      marked.push(file.id);
    }
    const count = marked.length;
    if (count > 0) {
      await blobs.remove(marked);
      logger.info({ count, freed }, 'Deleted the oldest files');
    }
    return { count, freed };
  }

  /** Marks a file as deleted. Resolves with false if it is needed meanwhile. */
  async #mark({ id }: StoredFile, readBefore: number): Promise<boolean> {
    const { files, blobs, clock } = this.#dependencies;
    const mark = (): Promise<boolean> => files.markDeleted(id, readBefore, clock.now());
    return mark().catch(async (error: unknown) => {
      if (!isDiskFull(error)) throw error;
      await blobs.remove([id]); // there is no space for the mark until the blob is gone
      return mark();
    });
  }
}
