/**
 * Runs one piece of work at a time and lets one wait, which newer work replaces. For work whose result is only of interest
 * for the newest input.
 */
export class NewestQueue {
  #isRunning: boolean = false;
  /** Starts the work that waits, or skips it. */
  #waiting: { start: () => void; skip: () => void } | undefined;
  /** The amount of work that was replaced since the queue was last idle. */
  skippedCount = 0;

  /**
   * Runs `work` when its turn comes and returns its result, or `undefined` if newer work replaced it. Rejects with the
   * reason of the signal if it is aborted before the work starts.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    signal.throwIfAborted();
    if (this.#isRunning && !(await this.#waitForTurn(signal))) return undefined;
    this.#isRunning = true;
    try {
      return await work();
    } finally {
      this.#startNext();
    }
  }

  /** Resolves with whether the work may run: false if newer work replaced it. */
  #waitForTurn(signal: AbortSignal): Promise<boolean> {
    this.#waiting?.skip();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting = undefined;
        reject(signal.reason);
      };
      const end = (mayRun: boolean) => {
        signal.removeEventListener('abort', onAbort);
        this.#waiting = undefined;
        resolve(mayRun);
      };
      this.#waiting = {
        start: () => end(true),
        skip: () => {
          end(false);
          this.skippedCount += 1;
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #startNext(): void {
    if (this.#waiting) this.#waiting.start();
    else {
      this.#isRunning = false;
      this.skippedCount = 0;
    }
  }
}
