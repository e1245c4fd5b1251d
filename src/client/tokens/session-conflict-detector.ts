import type { Clock } from '../clock.js';

/** Revoked tokens within `WINDOW_MS` that cause a warning. */
const CONFLICT_THRESHOLD = 5;
const WINDOW_MS = 60_000;

/**
 * Detects that another client is using the same account: the service allows one session per account and revokes our
 * tokens repeatedly. Both clients continue, since each renews its token, but slowly. A warning states the reason.
 */
export class SessionConflictDetector {
  readonly #clock: Clock;
  readonly #warn: ((message: string) => void) | undefined;
  #revokedAt: number[] = [];

  constructor(clock: Clock, warn: ((message: string) => void) | undefined) {
    this.#clock = clock;
    this.#warn = warn;
  }

  /** Records a token that was refused with 401 before it expired. Warns at every fifth within a minute. */
  recordRevokedToken(): void {
    const now = this.#clock.now();
    this.#revokedAt = [...this.#revokedAt.filter((time) => now - time < WINDOW_MS), now];
    if (this.#revokedAt.length < CONFLICT_THRESHOLD) return;
    this.#revokedAt = [];
    this.#warn?.(
      `The service revoked ${CONFLICT_THRESHOLD} tokens of this account within a minute. Another client may be using the same account, and the service may allow only one session.`,
    );
  }
}
