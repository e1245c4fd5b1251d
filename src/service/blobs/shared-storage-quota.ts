import type { Limits } from '../defaults.js';
import type { RetentionClock } from '../retention-clock.js';
import type { IdempotencyKeys } from '../store/idempotency-keys.js';
import type { Operations } from '../store/operations.js';
import type { SpaceReservations } from '../store/shared/space-reservations.js';
import type { Tokens } from '../store/tokens.js';
import type { Usage } from '../store/usage.js';
import { createEviction, type Eviction, type EvictionDependencies } from './eviction.js';
import { planEviction } from './plan-eviction.js';
import type { Quotas, Reservation, SpaceSummary } from './quotas.js';
import { objectLostError } from './s3/object-lost-error.js';

/** The dependencies and options of a `SharedStorageQuota`. */
export interface SharedStorageQuotaDependencies extends EvictionDependencies {
  operations: Operations;
  tokens: Tokens;
  keys: Pick<IdempotencyKeys, 'purge'>;
  reservations: SpaceReservations;
  usage: Pick<Usage, 'summarize'>;
  /** Of all users, in bytes. `Infinity`: no limit. */
  quotaBytes: number;
  limits: Limits;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
}

/** A file for which space is reserved. `key`: of its object, once it is known. */
interface NewFile {
  owner: string;
  key: string | undefined;
  bytes: number;
}

// An upload reserves as many bytes again as have arrived, but at most so many: 1 GB takes 64 statements. What arrives
// without a reservation is limited by the buffer of its sink.
const MAX_STEP_BYTES = 16 * 1024 * 1024;

// Each file takes two transactions: a stop waits for one batch at most.
const EXPIRY_BATCH = 100;
const PURGE_BATCH = 1000;

/**
 * Enforces the quotas of a service whose processes share a database, and a bucket instead of a disk. The rows of the
 * objects carry the reservations, so that they count in all processes, and expire with the object after a crash. Files
 * are evicted as by `StorageQuota`: only for bytes that have arrived, and at most as many again.
 */
export class SharedStorageQuota implements Quotas {
  readonly #dependencies: SharedStorageQuotaDependencies;
  readonly #eviction: Eviction;
  #last: Promise<unknown> = Promise.resolve();

  constructor(dependencies: SharedStorageQuotaDependencies) {
    this.#dependencies = dependencies;
    this.#eviction = createEviction(dependencies);
  }

  async purgeExpired(signal?: AbortSignal): Promise<void> {
    const { files, blobs, operations, tokens, keys, limits, clock, now } = this.#dependencies;
    while ((await this.#eviction.removeExpired(EXPIRY_BATCH)) > 0) signal?.throwIfAborted();
    const purgeBefore = clock.now() - limits.recordRetentionMs;
    for (;;) {
      signal?.throwIfAborted();
      const ids = await files.findPurgeable(purgeBefore, PURGE_BATCH);
      if (ids.length === 0) break;
      await blobs.remove(ids); // a row is forgotten only after its bytes
      await files.forget(ids);
    }
    await operations.purgeOld(purgeBefore, signal);
    await tokens.removeExpired(now());
    await keys.purge(clock.now() - limits.idempotencyKeyMs);
  }

  async open(owner: string, announcedBytes: number): Promise<Reservation> {
    await this.#plan({ owner, key: undefined, bytes: announcedBytes });
    let reservedBytes = 0;
    return {
      grow: async (size, key) => {
        if (size <= reservedBytes) return;
        const ahead = Math.min(size + Math.min(size, MAX_STEP_BYTES), announcedBytes);
        const bytes = Math.max(size, ahead);
        await this.#reserve({ owner, key, bytes });
        reservedBytes = bytes;
      },
      release: () => undefined, // the object is confirmed, or was discarded by its sink
    };
  }

  async reserve(owner: string, bytes: number, key?: string): Promise<Reservation> {
    await this.#reserve({ owner, key, bytes });
    return {
      grow: (size) => this.#reserve({ owner, key, bytes: size }),
      release: async (isStored) => {
        if (!isStored) await this.#release(key);
      },
    };
  }

  async describe(): Promise<SpaceSummary> {
    const { usage, quotaBytes } = this.#dependencies;
    const { totalBytes } = await usage.summarize('');
    return { totalBytes, quotaBytes, freeBytes: Number.POSITIVE_INFINITY };
  }

  async #reserve({ owner, key, bytes }: NewFile): Promise<void> {
    if (key === undefined) throw new Error('Space is reserved for objects only.');
    for (;;) {
      const outcome = await this.#dependencies.reservations.reserve({ owner, key, bytes });
      if (outcome === 'reserved') return;
      if (outcome === 'lost') throw objectLostError(key, 'open');
      await this.#serialize(() => this.#makeSpace({ owner, key, bytes }));
    }
  }

  /** Does nothing if the object is confirmed. Otherwise it expires, if the database is away. */
  async #release(key: string | undefined): Promise<void> {
    const { reservations, logger } = this.#dependencies;
    const onError = (err: unknown): void => logger.warn({ err, key }, 'Could not release a reservation: it expires');
    if (key !== undefined) await reservations.release(key).catch(onError);
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined); // only the caller gets the error
    return next;
  }

  /** Evicts what a file needs. Throws like `grow` if that is not possible. */
  async #makeSpace(file: NewFile): Promise<void> {
    for (const [victim, plannedBytes] of await this.#plan(file)) await this.#eviction.evict(victim, plannedBytes);
  }

  async #plan({ owner, key, bytes }: NewFile): Promise<Map<string, number>> {
    const { reservations, quotaBytes } = this.#dependencies;
    const space = { ...(await reservations.read(owner, key)), quotaBytes };
    const byOwner = () => reservations.byOwner(key);
    // What is reserved for other files is part of the used space.
    return planEviction({ owner, bytes, space, reserved: new Map() }, { eviction: this.#eviction, byOwner });
  }
}
