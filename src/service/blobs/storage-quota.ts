import { DISK_QUOTA, type Limits, MIN_FREE_DISK_BYTES } from '../defaults.js';
import type { Logger } from '../logger.js';
import { freeSpace } from '../machine/free-space.js';
import type { RetentionClock } from '../retention-clock.js';
import { ServiceError } from '../service-error.js';
import type { Files } from '../store/files.js';
import type { IdempotencyKeys } from '../store/idempotency-keys.js';
import type { Operations } from '../store/operations.js';
import type { Tokens } from '../store/tokens.js';
import type { Usage } from '../store/usage.js';
import type { BlobStore } from './blob-store.js';
import { createEviction, type Eviction } from './eviction.js';
import { findVictims } from './find-victims.js';
import { Reservations, type ReservedSpace } from './reservations.js';
import type { SpareFile } from './spare-file.js';

/** The dependencies and options of a `StorageQuota`. */
export interface StorageQuotaDependencies {
  files: Files;
  usage: Usage;
  operations: Operations;
  tokens: Tokens;
  keys: Pick<IdempotencyKeys, 'purge'>;
  blobs: BlobStore;
  folder: string;
  spare: Pick<SpareFile, 'missingBytes'>;
  /** Space for stored files. Default: 20 % of (free disk space + stored files), at most 20 GiB. */
  quotaBytes?: number | undefined;
  /** Space for the stored files of each user who has no quota of their own. Default: no limit. */
  userQuotaBytes?: number | undefined;
  limits: Limits;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
  logger: Logger;
  /** Resolves with the free bytes on the disk of a folder. Default: `statfs`. */
  freeSpace?: (folder: string) => Promise<number>;
}

/** The space for one upload, which grows while its bytes arrive. */
export interface Reservation {
  /**
   * Reserves the space for a file of `size` bytes in total. To be awaited before they are written. Throws
   * `USER_QUOTA_FULL`, `QUOTA_FULL` or `DISK_FULL`.
   */
  grow(size: number): Promise<void>;
  /** To be called once the bytes were stored or discarded. */
  release(): void;
}

/** What has been stored and may be stored, when space is reserved for a file of one user. Sizes are in bytes. */
interface Space {
  freeBytes: number;
  totalBytes: number;
  ownBytes: number;
  quotaBytes: number;
  ownQuotaBytes: number;
}

// An upload is checked again after this many bytes: 1 GB takes 60 checks of less than 1 ms.
const STEP_BYTES = 16 * 1024 * 1024;

function computeQuota(bytes: number): number {
  return Math.min(DISK_QUOTA.maxBytes, DISK_QUOTA.fraction * bytes);
}

function sumOf(bytesByOwner: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const bytes of bytesByOwner.values()) sum += bytes;
  return sum;
}

function userQuotaFull(bytes: number, { ownQuotaBytes }: Space): ServiceError {
  const needed = `${bytes} bytes needed, quota ${ownQuotaBytes} bytes, and the other files of this user are too recent to evict`;
  const remedy = 'Retry later, or raise the quota with "user quota" or --user-quota.';
  return new ServiceError('USER_QUOTA_FULL', `Quota of the user exceeded: ${needed}. ${remedy}`);
}

function quotaFull(bytes: number, { quotaBytes }: Space): ServiceError {
  const needed = `${bytes} bytes needed, quota ${Math.floor(quotaBytes)} bytes, and no stored file may be evicted for them`;
  return new ServiceError('QUOTA_FULL', `Disk quota exceeded: ${needed}. Retry later, or raise --disk-quota.`);
}

/**
 * Enforces the quotas of the disk and of the users: deletes expired files, reserves space for new ones and evicts the
 * oldest of `findVictims` if needed. Files are evicted only for bytes that have arrived, and at most as many again. Calls
 * are serialized, so that two uploads never reserve the same space.
 */
export class StorageQuota {
  readonly #dependencies: StorageQuotaDependencies;
  readonly #eviction: Eviction;
  readonly #reservations = new Reservations();
  #last: Promise<unknown> = Promise.resolve();

  constructor(dependencies: StorageQuotaDependencies) {
    this.#dependencies = dependencies;
    this.#eviction = createEviction(dependencies);
  }

  /** Deletes all expired files, records, tokens and idempotency keys. */
  async purgeExpired(): Promise<void> {
    const { files, blobs, operations, tokens, keys, limits, clock, now } = this.#dependencies;
    while ((await this.#serialize(() => this.#eviction.removeExpired())) > 0); // uploads reserve their space in between
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
   * Starts the reservation of an upload by `owner`. Evicts nothing. Throws `USER_QUOTA_FULL`, `QUOTA_FULL` or `DISK_FULL`
   * if `announcedBytes` would not fit even after evictions.
   */
  open(owner: string, announcedBytes: number): Promise<Reservation> {
    return this.#serialize(async () => {
      const reserved: ReservedSpace = { owner, announcedBytes, grantedBytes: 0, arrivedBytes: 0 };
      const space = await this.#readSpace(owner);
      const plan = await this.#planEviction(reserved, announcedBytes, space);
      this.#checkDisk(reserved, announcedBytes, space.freeBytes + sumOf(plan));
      const firstBytes = Math.min(announcedBytes, STEP_BYTES);
      if (this.#fits(reserved, firstBytes, space)) reserved.grantedBytes = firstBytes;
      return this.#add(reserved);
    });
  }

  /** Reserves the space for an output of `owner`, which is in a temporary file. Throws like `grow`. */
  reserve(owner: string, bytes: number): Promise<Reservation> {
    return this.#serialize(async () => {
      const reserved: ReservedSpace = { owner, announcedBytes: bytes, grantedBytes: 0, arrivedBytes: 0 };
      this.#checkDisk(reserved, 0, await this.#ensureSpace(reserved, bytes));
      reserved.grantedBytes = bytes;
      reserved.arrivedBytes = bytes;
      return this.#add(reserved);
    });
  }

  #add(reserved: ReservedSpace): Reservation {
    this.#reservations.add(reserved);
    return {
      grow: (size) => this.#grow(reserved, size),
      release: () => this.#reservations.delete(reserved),
    };
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined); // only the caller gets the error
    return next;
  }

  async #grow(reserved: ReservedSpace, size: number): Promise<void> {
    if (size > reserved.grantedBytes) await this.#serialize(() => this.#extend(reserved, size));
    reserved.arrivedBytes = size;
  }

  async #extend(reserved: ReservedSpace, size: number): Promise<void> {
    const atMost = (bytes: number): number => Math.max(size, Math.min(bytes, reserved.announcedBytes));
    let grantedBytes = atMost(size + STEP_BYTES);
    const space = await this.#readSpace(reserved.owner);
    let { freeBytes } = space;
    if (!this.#fits(reserved, grantedBytes, space)) {
      this.#reservations.withdraw(reserved);
      grantedBytes = atMost(size + Math.min(size, STEP_BYTES));
      freeBytes = await this.#ensureSpace(reserved, grantedBytes);
    }
    this.#checkDisk(reserved, grantedBytes - reserved.arrivedBytes, freeBytes);
    reserved.grantedBytes = grantedBytes;
  }

  async #readSpace(owner: string): Promise<Space> {
    const { usage, folder, quotaBytes, userQuotaBytes = Number.POSITIVE_INFINITY } = this.#dependencies;
    const summary = await usage.summarize(owner);
    const freeBytes = await (this.#dependencies.freeSpace ?? freeSpace)(folder);
    return {
      ...summary,
      freeBytes,
      quotaBytes: quotaBytes ?? computeQuota(freeBytes + summary.totalBytes + this.#reservations.arrived()),
      ownQuotaBytes: summary.quotaBytes ?? userQuotaBytes,
    };
  }

  /** Returns whether a file of `bytes` bytes fits beside all that has been granted, without evictions. */
  #fits(reserved: ReservedSpace, bytes: number, { totalBytes, ownBytes, quotaBytes, ownQuotaBytes }: Space): boolean {
    const isWithinQuota = totalBytes + this.#reservations.granted(reserved) + bytes <= quotaBytes;
    return isWithinQuota && ownBytes + this.#reservations.granted(reserved, reserved.owner) + bytes <= ownQuotaBytes;
  }

  /** Evicts what a file of `bytes` bytes in total needs. Resolves with the free bytes of the disk. */
  async #ensureSpace(reserved: ReservedSpace, bytes: number): Promise<number> {
    for (;;) {
      const space = await this.#readSpace(reserved.owner);
      const plan = await this.#planEviction(reserved, bytes, space);
      if (plan.size === 0) return space.freeBytes;
      // Repeated, since an operation may have needed one of the files meanwhile.
      for (const [victim, plannedBytes] of plan) await this.#eviction.evict(victim, plannedBytes);
    }
  }

  /**
   * Decides how many bytes of which users to evict for a file of `bytes` bytes. Throws `USER_QUOTA_FULL` or `QUOTA_FULL`
   * if that would free too little.
   */
  async #planEviction(reserved: ReservedSpace, bytes: number, space: Space): Promise<Map<string, number>> {
    const { owner } = reserved;
    const lasting = this.#reservations.lastingByOwner(reserved);
    const plan = new Map<string, number>();
    const add = async (victim: string, wantedBytes: number): Promise<number> => {
      const planned = plan.get(victim) ?? 0;
      const evictable = await this.#eviction.sumEvictable(victim, planned + wantedBytes);
      const more = Math.max(0, Math.min(wantedBytes, evictable - planned));
      if (more > 0) plan.set(victim, planned + more);
      return more;
    };

    const ownBytes = (lasting.get(owner) ?? 0) + bytes;
    const ownShortfall = Math.max(0, space.ownBytes + ownBytes - space.ownQuotaBytes);
    if (ownShortfall > 0 && (await add(owner, ownShortfall)) < ownShortfall) throw userQuotaFull(bytes, space);

    let shortfall = space.totalBytes + sumOf(lasting) + bytes - ownShortfall - space.quotaBytes;
    if (shortfall <= 0) return plan;
    const usage = await this.#dependencies.usage.byOwner();
    for (const [id, more] of [...lasting, [owner, bytes - ownShortfall] as const]) {
      usage.set(id, (usage.get(id) ?? 0) + more);
    }
    for (const victim of findVictims(usage, space.quotaBytes, owner)) {
      shortfall -= await add(victim.owner, Math.min(shortfall, victim.bytes));
      if (shortfall <= 0) return plan;
    }
    throw quotaFull(bytes, space);
  }

  /** Throws `DISK_FULL` if the disk has no space for `unwrittenBytes` more beside those that others will write. */
  #checkDisk(reserved: ReservedSpace, unwrittenBytes: number, freeBytes: number): void {
    const needed = this.#reservations.outstanding(reserved) + unwrittenBytes;
    if (freeBytes >= needed + MIN_FREE_DISK_BYTES + this.#dependencies.spare.missingBytes()) return;
    throw new ServiceError(
      'DISK_FULL',
      `Disk full: no space for ${unwrittenBytes} more bytes on the disk of the service. Free disk space.`,
    );
  }
}
