/**
 * The end of a client, told to every call that is under way. It has the face of an `AbortSignal`; but there, adding or taking away a listener
 * walks through all the others, which is too much where ten thousand waits listen to one.
 */
export class CloseSignal {
  readonly #listeners = new Set<() => void>();
  #isAborted: boolean = false;

  get aborted(): boolean {
    return this.#isAborted;
  }

  abort(): void {
    this.#isAborted = true;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  addEventListener(_type: 'abort', listener: () => void, _options?: { once: true }): void {
    if (!this.#isAborted) this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
