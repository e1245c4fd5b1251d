import type { Clock } from '../clock.js';

const CONFLICT_THRESHOLD = 5;
const WINDOW_MS = 60_000;

/**
 * Notices that tokens are taken away again and again: a service that allows one session an account, and somebody else who uses the
 * same one. Both go on, in turns, since each renews; a warning a minute says why it is slow.
 */
export class SessionConflictDetector {
  readonly #clock: Clock;
  readonly #warn: ((message: string) => void) | undefined;
  #revokedAt: number[] = [];

  constructor(clock: Clock, warn: ((message: string) => void) | undefined) {
    this.#clock = clock;
    this.#warn = warn;
  }

  /** A token was answered with 401 before its end. */
  recordRevokedToken(): void {
    const now = this.#clock.now();
    this.#revokedAt = [...this.#revokedAt.filter((time) => now - time < WINDOW_MS), now];
    if (this.#revokedAt.length < CONFLICT_THRESHOLD) return;
    this.#revokedAt = [];
    this.#warn?.(
      `The service took ${CONFLICT_THRESHOLD} tokens of this account away within a minute: does somebody else use the same account? It may allow one session only.`,
    );
  }
}
