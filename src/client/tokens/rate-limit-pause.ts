import type { Clock } from '../clock.js';

/** The pause that a service asked an account to make. The longest that was asked for holds. */
export class RateLimitPause {
  readonly #clock: Clock;
  #until = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What is left of it, in ms; 0 where there is none. */
  get remainingMs(): number {
    return Math.max(0, this.#until - this.#clock.now());
  }

  /** Begins or lengthens it: `ms` from now. */
  extend(ms: number): void {
    this.#until = Math.max(this.#until, this.#clock.now() + ms);
  }

  /** Resolves when it is over, however often it was lengthened meanwhile. */
  async wait(signal: AbortSignal): Promise<void> {
    while (this.remainingMs > 0) await this.#clock.sleep(this.remainingMs, signal);
  }
}
