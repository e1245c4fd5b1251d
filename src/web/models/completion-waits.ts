import { RequestError } from '../requests/requests.js';
import { type CompletedOperation, requestCompleted } from './service-lists.js';

/** What a `CompletionWaits` asks and tells. */
export interface CompletionListeners {
  /** Returns the operations to wait for; none to end the waits. */
  findIds: () => readonly string[];
  onCompleted: (operations: readonly CompletedOperation[]) => void;
}

/** Waits for the completion of operations, with one request after the other that the service replies to as soon as it can. */
export class CompletionWaits {
  readonly #listeners: CompletionListeners;
  #ids: ReadonlySet<string> = new Set();
  #isRunning: boolean = false;
  #resumesAt = 0;

  constructor(listeners: CompletionListeners) {
    this.#listeners = listeners;
  }

  /** Returns whether the service will tell the completion of an operation. */
  includes(operationId: string): boolean {
    return this.#ids.has(operationId);
  }

  /**
   * Waits until there are no operations to wait for, or a request fails. To be called after each poll, which shows the
   * problem: it then waits again, but not before the time for which the service has refused it.
   */
  async run(): Promise<void> {
    if (this.#isRunning || performance.now() < this.#resumesAt) return;
    this.#isRunning = true;
    const { findIds, onCompleted } = this.#listeners;
    try {
      for (let ids = findIds(); ids.length > 0; ids = findIds()) {
        this.#ids = new Set(ids);
        onCompleted(await requestCompleted(ids));
      }
    } catch (error) {
      const delayMs = error instanceof RequestError ? error.retryAfterMs : 0;
      this.#resumesAt = performance.now() + delayMs;
    }
    this.#ids = new Set();
    this.#isRunning = false;
  }
}
