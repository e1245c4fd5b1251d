/** Holds up messages while a deploy is in progress: Node-RED drops messages to nodes that it has stopped. */
export class DeployGate {
  /** Called at the end of the deploy in progress. Undefined if there is none. */
  #waiters: Set<() => void> | undefined;

  /** True while no deploy is in progress. */
  get isOpen(): boolean {
    return this.#waiters === undefined;
  }

  /** Records that a deploy begins to stop nodes. */
  close(): void {
    this.#waiters ??= new Set();
  }

  /** Records that the nodes of a deploy have started. */
  open(): void {
    const waiters = this.#waiters ?? [];
    this.#waiters = undefined;
    for (const resume of waiters) resume();
  }

  /** Resolves when no deploy is in progress, or the signal is aborted. */
  whenOpen(signal: AbortSignal): Promise<void> {
    const waiters = this.#waiters;
    if (!waiters || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      waiters.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
