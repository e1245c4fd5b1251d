import type { Limits } from '../defaults.js';
import type { RetentionClock } from '../retention-clock.js';
import { ServiceError } from '../service-error.js';
import type { IdempotencyKeys } from '../store/idempotency-keys.js';
import type { Operations } from '../store/operations.js';
import type { Tokens } from '../store/tokens.js';
import { createEviction, type Eviction, type EvictionDependencies } from './eviction.js';
import { findVictims } from './find-victims.js';
import { Reservations, type ReservedSpace, sumLastingByOwner } from './reservations.js';
import { assertOnDisk, fits, readSpace, type Space, type SpaceDependencies } from './space.js';

/** The dependencies and options of a `StorageQuota`. */
export interface StorageQuotaDependencies extends SpaceDependencies, EvictionDependencies {
  operations: Operations;
  tokens: Tokens;
  keys: Pick<IdempotencyKeys, 'purge'>;
  limits: Limits;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
}

/** The space for one upload, which grows while its bytes arrive, or for one output. */
export interface Reservation {
  /**
   * Reserves the space for a file of `size` bytes in total. To be awaited before they are written. Throws
   * `USER_QUOTA_FULL`, `QUOTA_FULL` or `DISK_FULL`.
   */
  grow(size: number): Promise<void>;
  /** To be called once the row of the file was stored, or its bytes were deleted. */
  release(): void;
}

// An upload is checked again after this many bytes: 1 GB takes 60 checks of less than 1 ms.
const STEP_BYTES = 16 * 1024 * 1024;

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
      const space = await this.#readSpace(reserved);
      const plan = await this.#planEviction(reserved, announcedBytes, space);
      assertOnDisk(announcedBytes, space, sumOf(plan));
      const firstBytes = Math.min(announcedBytes, STEP_BYTES);
      if (fits(reserved, firstBytes, space)) reserved.grantedBytes = firstBytes;
      return this.#add(reserved);
    });
  }

  /** Reserves the space for an output of `owner`, which is in a temporary file. Throws like `grow`. */
  reserve(owner: string, bytes: number): Promise<Reservation> {
    return this.#serialize(async () => {
      const reserved: ReservedSpace = { owner, announcedBytes: bytes, grantedBytes: bytes, arrivedBytes: bytes };
      if (!fits(reserved, bytes, await this.#readSpace(reserved))) await this.#makeSpace(reserved, bytes);
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
    if (!fits(reserved, grantedBytes, await this.#readSpace(reserved))) {
      grantedBytes = atMost(size + Math.min(size, STEP_BYTES));
      await this.#makeSpace(reserved, grantedBytes);
    }
    reserved.grantedBytes = grantedBytes;
  }

  #readSpace(reserved: ReservedSpace): Promise<Space> {
    return readSpace(reserved, this.#reservations.copyOthers(reserved), this.#dependencies);
  }

  /**
   * Withdraws grants of others that do not last, so that they are checked before they are used, and evicts what a file of
   * `bytes` bytes in total needs. Throws like `grow`.
   */
  async #makeSpace(reserved: ReservedSpace, bytes: number): Promise<void> {
    this.#reservations.withdraw(reserved);
    for (;;) {
      const space = await this.#readSpace(reserved);
      const plan = await this.#planEviction(reserved, bytes, space);
      if (plan.size === 0) return assertOnDisk(bytes - reserved.arrivedBytes, space);
      // Repeated, since an operation may have needed one of the files meanwhile.
      for (const [victim, plannedBytes] of plan) await this.#eviction.evict(victim, plannedBytes);
    }
  }

  /**
   * Decides how many bytes of which users to evict for a file of `bytes` bytes. Throws `USER_QUOTA_FULL` or `QUOTA_FULL`
   * if that would free too little.
   */
  async #planEviction({ owner }: ReservedSpace, bytes: number, space: Space): Promise<Map<string, number>> {
    const lasting = sumLastingByOwner(space.others);
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
}
