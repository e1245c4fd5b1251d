import type { Clock } from '../clock.js';

/** The time until an account may send requests again, as requested by the service. The longest request counts. */
export class RateLimitPause {
  readonly #clock: Clock;
  #until = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the remaining time, 0 if the account may send requests. */
  get remainingMs(): number {
    return Math.max(0, this.#until - this.#clock.now());
  }

  /** Starts a pause of `ms`, or extends the current one to `ms` from now. Never shortens it. */
  extend(ms: number): void {
    this.#until = Math.max(this.#until, this.#clock.now() + ms);
  }

  /** Resolves when the pause is over, including its extensions meanwhile. Throws `ABORTED`. */
  async wait(signal: AbortSignal): Promise<void> {
    while (this.remainingMs > 0) await this.#clock.sleep(this.remainingMs, signal);
  }
}
