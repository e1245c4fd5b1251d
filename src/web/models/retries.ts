import { RequestError } from '../requests/requests.js';

const [MIN_RETRY_MS, MAX_RETRY_MS] = [1000, 15_000];

/** What the caller of `Retries.run` is asked and told. */
export interface RetryListeners {
  /** Returns whether the work is still to be done. */
  isCurrent?: () => boolean;
  /** Called before it waits for the next attempt. */
  onFailure?: () => void;
}

/** Whether the same request may succeed later: the service refused it only for now, or somebody has to sign in. */
function isTemporary(error: unknown): boolean {
  return error instanceof RequestError && (error.isTransient || error.status === 401);
}

/** Repeats requests that did not reach the service until they do. None is sent while the session has ended. */
export class Retries {
  #isPaused: boolean = false;
  #waiting: (() => void)[] = [];

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Starts no attempt until `resume`, because the session has ended. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /**
   * Runs `work`, which must take effect once however often it runs, until it succeeds. Resolves with its result, or with
   * `undefined` if it is not to be done any more. Throws errors that a further attempt would give again.
   */
  async run<Result>(
    work: () => Promise<Result>,
    { isCurrent = () => true, onFailure }: RetryListeners = {},
  ): Promise<Result | undefined> {
    for (let delayMs = MIN_RETRY_MS; ; delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isCurrent()) return undefined;
        if (!isTemporary(error)) throw error;
        onFailure?.();
      }
      await this.#wait(delayMs);
      if (!isCurrent()) return undefined;
    }
  }

  async #wait(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, delayMs);
    });
    if (!this.#isPaused) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
