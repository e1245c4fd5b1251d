import { delay } from '../delay.js';

/** How long a list is used: the lists of a service change only when it is updated. */
const LIST_VALID_MS = 300_000;
/** How long the last list is used after the list could not be read. */
const FAILURE_VALID_MS = 30_000;

/** How often `required` reads a list that cannot be read, and the pause between two attempts. */
const MAX_ATTEMPTS = 5;
const PAUSE_MS = 1000;

/** The dependencies of a `CachedList`. */
export interface CachedListOptions {
  /** Reads the list of the service. */
  read: () => Promise<readonly string[]>;
  /** A monotonic clock in ms. Default: `performance.now`. */
  now?: () => number;
  /** Default: `delay`. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A list of names that a service announces. Read when it is needed, and again when it has expired. */
export class CachedList {
  readonly #read: () => Promise<readonly string[]>;
  readonly #now: () => number;
  readonly #sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  #list: Promise<readonly string[]> | undefined;
  /** The last list that was read. */
  #known: readonly string[] | undefined;
  /** Why the list could not be read last. */
  #failure: unknown;
  #validUntil = Number.NEGATIVE_INFINITY;

  constructor({ read, now = () => performance.now(), sleep = delay }: CachedListOptions) {
    this.#read = read;
    this.#now = now;
    this.#sleep = sleep;
  }

  /**
   * Returns the list. If it cannot be read, returns the last one that was read, or an empty one. Never rejects.
   * Concurrent callers share one request.
   */
  current(): Promise<readonly string[]> {
    if (this.#list && this.#now() < this.#validUntil) return this.#list;
    this.#validUntil = Number.POSITIVE_INFINITY;
    this.#list = this.#load();
    return this.#list;
  }

  /**
   * Returns the list. If it was never read and cannot be read now, reads it again, five times within seconds, and then
   * rejects with the reason. Rejects with the reason of the signal if it is aborted.
   */
  async required(signal: AbortSignal): Promise<readonly string[]> {
    for (let attempt = 1; ; attempt += 1) {
      const list = await this.current();
      signal.throwIfAborted();
      if (this.#known) return list;
      if (attempt === MAX_ATTEMPTS) throw this.#failure;
      await this.#sleep(PAUSE_MS, signal);
      signal.throwIfAborted();
      // Another caller may have started to read it.
      if (this.#validUntil !== Number.POSITIVE_INFINITY) this.#validUntil = Number.NEGATIVE_INFINITY;
    }
  }

  // If the service does not work, the call that needs the list reports the reason.
  async #load(): Promise<readonly string[]> {
    let validMs = FAILURE_VALID_MS;
    try {
      this.#known = await this.#read();
      validMs = LIST_VALID_MS;
      return this.#known;
    } catch (error) {
      this.#failure = error;
      return this.#known ?? [];
    } finally {
      this.#validUntil = this.#now() + validMs;
    }
  }
}
