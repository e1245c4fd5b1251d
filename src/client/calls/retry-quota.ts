/** So many successes give back one try. */
const SUCCESSES_PER_TRY = 10;

/**
 * Bounds the repeated calls of one client, so that it does not multiply the load of a service in trouble: at first as many as it
 * holds, then one for every ten calls that went well (M. Brooker, "Fixing retries with token buckets and circuit breakers", 2022).
 */
export class RetryQuota {
  readonly #size: number;
  /** In tenths of a try, which are whole numbers. */
  #left: number;

  constructor(size: number) {
    this.#size = size * SUCCESSES_PER_TRY;
    this.#left = this.#size;
  }

  /** May a call be repeated? Each yes is counted. */
  take(): boolean {
    if (this.#left < SUCCESSES_PER_TRY) return false;
    this.#left -= SUCCESSES_PER_TRY;
    return true;
  }

  /** A call went well. */
  refill(): void {
    this.#left = Math.min(this.#size, this.#left + 1);
  }
}
