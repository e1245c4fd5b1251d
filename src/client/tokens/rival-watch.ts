import type { Clock } from '../clock.js';

const RIVAL_COUNT = 5;
const WINDOW_MS = 60_000;

/**
 * Notices that tokens are taken away again and again: a service that allows one session an account, and somebody else who uses the
 * same one. Both go on, in turns, since each renews; a warning a minute says why it is slow.
 */
export class RivalWatch {
  readonly #clock: Clock;
  readonly #warn: ((message: string) => void) | undefined;
  #renewedAt: number[] = [];

  constructor(clock: Clock, warn: ((message: string) => void) | undefined) {
    this.#clock = clock;
    this.#warn = warn;
  }

  /** A token was answered with 401 before its end. */
  note(): void {
    const now = this.#clock.now();
    this.#renewedAt = [...this.#renewedAt.filter((at) => now - at < WINDOW_MS), now];
    if (this.#renewedAt.length < RIVAL_COUNT) return;
    this.#renewedAt = [];
    this.#warn?.(
      `The service took ${RIVAL_COUNT} tokens of this account away within a minute: does somebody else use the same account? It may allow one session only.`,
    );
  }
}
