import { ClientError } from '../../src/client/index.js';

/** A clock that stands still until it is told to go on; then its sleeps end in the order of their time. */
export class ManualClock {
  time = 0;
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();

  readonly now = (): number => this.time;
  readonly random = (): number => 0.5;
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new ClientError('ABORTED', 'aborted'));
      const sleeper = { at: this.time + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      const onAbort = () => {
        this.#sleepers.delete(sleeper);
        reject(new ClientError('ABORTED', 'aborted'));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });

  /** Sleeps that have not ended. */
  get sleeperCount(): number {
    return this.#sleepers.size;
  }

  /** Lets this much time pass, and all that comes of it happen. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      await flushPromises();
      const next = [...this.#sleepers].sort((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      this.#sleepers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.wake();
    }
    this.time = end;
    await flushPromises();
  }
}

/** All promises that can settle without time passing have settled. */
function flushPromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
