import type { ClientLimits } from '../client-limits.js';
import type { Clock } from '../clock.js';

/** A repeated call that would have to wait longer than this for its turn is not repeated. */
const MAX_DELAY_MS = 30_000;

/**
 * Bounds the repeated calls of one client, so that many calls in one outage do not multiply the load of a service in trouble: a token
 * bucket of `retryQuota`, refilled by `retriesPerSecond`. Once it is empty repeated calls take turns (M. Brooker, "Fixing retries with
 * token buckets and circuit breakers", 2022, who refuses them: then a short outage ends every call beyond the bucket's size).
 */
export class RetryBudget {
  readonly #limits: ClientLimits;
  readonly #now: Clock['now'];
  /** Below 0: what is owed to calls that wait for their turn. */
  #tokens: number;
  #filledAt: number;

  constructor(limits: ClientLimits, now: Clock['now']) {
    this.#limits = limits;
    this.#now = now;
    this.#tokens = limits.retryQuota;
    this.#filledAt = now();
  }

  /** Takes one repeated call. Returns the ms until its turn, or `undefined` where it must not be repeated. */
  tryAcquire(): number | undefined {
    const { retryQuota, retriesPerSecond } = this.#limits;
    const now = this.#now();
    this.#tokens = Math.min(retryQuota, this.#tokens + ((now - this.#filledAt) / 1000) * retriesPerSecond);
    this.#filledAt = now;
    const delayMs = Math.max(0, ((1 - this.#tokens) / retriesPerSecond) * 1000);
    if (delayMs > MAX_DELAY_MS) return undefined;
    this.#tokens -= 1;
    return delayMs;
  }
}
