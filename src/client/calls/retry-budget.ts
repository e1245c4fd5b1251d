import type { ClientLimits } from '../client-limits.js';
import type { Clock } from '../clock.js';

/** A retry is refused if it would wait longer than this for a token. */
const MAX_DELAY_MS = 30_000;

/**
 * Limits the retries of all calls of one client together, so that retries do not multiply the load on an overloaded
 * service (Google, "Site Reliability Engineering", 2016, chapter 21). A token bucket of size `retryQuota`, refilled at
 * `retriesPerSecond`. M. Brooker ("Fixing retries with token buckets and circuit breakers", 2022) refuses retries while
 * the bucket is empty. Here they are delayed until their token is available, because otherwise a short outage would
 * fail all calls beyond the size of the bucket.
 */
export class RetryBudget {
  readonly #limits: ClientLimits;
  readonly #now: Clock['now'];
  /** Negative while retries wait for tokens that are already assigned to them. */
  #tokens: number;
  #refilledAt: number;

  constructor(limits: ClientLimits, now: Clock['now']) {
    this.#limits = limits;
    this.#now = now;
    this.#tokens = limits.retryQuota;
    this.#refilledAt = now();
  }

  /** Takes a token for one retry. Returns the delay until it is available, in ms, or `undefined` if it is refused. */
  tryAcquire(): number | undefined {
    const { retryQuota, retriesPerSecond } = this.#limits;
    const now = this.#now();
    this.#tokens = Math.min(retryQuota, this.#tokens + ((now - this.#refilledAt) / 1000) * retriesPerSecond);
    this.#refilledAt = now;
    const delayMs = Math.max(0, ((1 - this.#tokens) / retriesPerSecond) * 1000);
    if (delayMs > MAX_DELAY_MS) return undefined;
    this.#tokens -= 1;
    return delayMs;
  }
}
