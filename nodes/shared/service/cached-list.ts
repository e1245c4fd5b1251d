/** How long a list is used: the lists of a service change only when it is updated. */
const LIST_VALID_MS = 300_000;
/** How long the last list is used after the list could not be read. */
const FAILURE_VALID_MS = 30_000;

/** The dependencies of a `CachedList`. */
export interface CachedListOptions {
  /** Reads the list of the service. */
  read: () => Promise<readonly string[]>;
  /** A monotonic clock in ms. Default: `performance.now`. */
  now?: () => number;
}

/** A list of names that a service announces. Read when it is needed, and again when it has expired. */
export class CachedList {
  readonly #read: () => Promise<readonly string[]>;
  readonly #now: () => number;
  #list: Promise<readonly string[]> | undefined;
  /** The last list that was read. */
  #known: readonly string[] = [];
  #validUntil = Number.NEGATIVE_INFINITY;

  constructor({ read, now = () => performance.now() }: CachedListOptions) {
    this.#read = read;
    this.#now = now;
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

  // If the service does not work, the call that needs the list reports the reason.
  async #load(): Promise<readonly string[]> {
    let validMs = FAILURE_VALID_MS;
    try {
      this.#known = await this.#read();
      validMs = LIST_VALID_MS;
      return this.#known;
    } catch {
      return this.#known;
    } finally {
      this.#validUntil = this.#now() + validMs;
    }
  }
}
