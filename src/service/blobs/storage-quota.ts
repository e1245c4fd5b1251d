import type { Limits } from '../defaults.js';
import type { RetentionClock } from '../retention-clock.js';
import type { IdempotencyKeys } from '../store/idempotency-keys.js';
import type { Operations } from '../store/operations.js';
import type { Tokens } from '../store/tokens.js';
import { createEviction, type Eviction, type EvictionDependencies } from './eviction.js';
import { planEviction, sumBytes } from './plan-eviction.js';
import type { Quotas, Reservation, SpaceSummary } from './quotas.js';
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

/** A reservation in the memory of this process. */
interface LocalReservation extends Reservation {
  release(): void;
}

// An upload is checked again after this many bytes: 1 GB takes 60 checks of less than 1 ms.
const STEP_BYTES = 16 * 1024 * 1024;

/**
 * Enforces the quotas of the disk and of the users: deletes expired files, reserves space for new ones and evicts the
 * oldest of `findVictims` if needed. Files are evicted only for bytes that have arrived, and at most as many again. Calls
 * are serialized, so that two uploads never reserve the same space.
 */
export class StorageQuota implements Quotas {
  readonly #dependencies: StorageQuotaDependencies;
  readonly #eviction: Eviction;
  readonly #reservations = new Reservations();
  #last: Promise<unknown> = Promise.resolve();

  constructor(dependencies: StorageQuotaDependencies) {
    this.#dependencies = dependencies;
    this.#eviction = createEviction(dependencies);
  }

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

  open(owner: string, announcedBytes: number): Promise<LocalReservation> {
    return this.#serialize(async () => {
      const reserved: ReservedSpace = { owner, announcedBytes, grantedBytes: 0, arrivedBytes: 0 };
      const space = await this.#readSpace(reserved);
      const plan = await this.#planEviction(reserved, announcedBytes, space);
      assertOnDisk(announcedBytes, space, sumBytes(plan));
      const firstBytes = Math.min(announcedBytes, STEP_BYTES);
      if (fits(reserved, firstBytes, space)) reserved.grantedBytes = firstBytes;
      return this.#add(reserved);
    });
  }

  describe(): Promise<SpaceSummary> {
    return this.#readSpace({ owner: '', announcedBytes: 0, grantedBytes: 0, arrivedBytes: 0 });
  }

  reserve(owner: string, bytes: number): Promise<LocalReservation> {
    return this.#serialize(async () => {
      const reserved: ReservedSpace = { owner, announcedBytes: bytes, grantedBytes: bytes, arrivedBytes: bytes };
      if (!fits(reserved, bytes, await this.#readSpace(reserved))) await this.#makeSpace(reserved, bytes);
      return this.#add(reserved);
    });
  }

  #add(reserved: ReservedSpace): LocalReservation {
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

  #planEviction({ owner }: ReservedSpace, bytes: number, space: Space): Promise<Map<string, number>> {
    const { byOwner } = this.#dependencies.usage;
    const reserved = sumLastingByOwner(space.others);
    return planEviction({ owner, bytes, space, reserved }, { eviction: this.#eviction, byOwner });
  }
}
