/** Two buffers of `BUFFER_BYTES`, into which a file is read alternately. */
export type BufferPair = [Buffer, Buffer];

// With smaller buffers the system calls cost more than the copying.
export const BUFFER_BYTES = 1024 * 1024;

// Kept for the next reader.
const MAX_IDLE_PAIRS = 4;

/** Buffers for reading files, for a limited number of readers at a time, so that they take a limited memory. */
export class BlockBuffers {
  readonly #idle: BufferPair[] = [];
  readonly #waiting: ((pair: BufferPair) => void)[] = [];
  readonly #maxPairs: number;
  #acquiredPairs = 0;

  constructor(maxPairs = Number.POSITIVE_INFINITY) {
    this.#maxPairs = maxPairs;
  }

  /** Whether a reader waits for buffers. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether at least half of the buffers are free for other readers. */
  get isHalfFree(): boolean {
    return 2 * this.#acquiredPairs <= this.#maxPairs;
  }

  /** Resolves with two buffers, when there are some. Each reader has to release them. */
  acquire(): Promise<BufferPair> {
    if (this.#acquiredPairs >= this.#maxPairs) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#acquiredPairs += 1;
    const pair = this.#idle.pop() ?? [Buffer.allocUnsafeSlow(BUFFER_BYTES), Buffer.allocUnsafeSlow(BUFFER_BYTES)];
    return Promise.resolve(pair);
  }

  /** Takes buffers back. Nobody may use them any more. */
  release(pair: BufferPair): void {
    const next = this.#waiting.shift();
    if (next) {
      next(pair);
      return;
    }
    this.#acquiredPairs -= 1;
    if (this.#idle.length < MAX_IDLE_PAIRS) this.#idle.push(pair);
  }
}
