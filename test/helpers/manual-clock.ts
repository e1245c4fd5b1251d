import { ClientError } from '../../src/client/index.js';
import { nextTurn } from './next-turn.js';

/** A clock that only `advance` moves, like the fake timers of Sinon. Sleeps end in the order of their times. */
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

  /** The number of sleeps that have not ended. */
  get sleeperCount(): number {
    return this.#sleepers.size;
  }

  /** Advances the clock by `ms`. Ends the sleeps within this time and runs the promises that depend on them. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      await nextTurn();
      const next = [...this.#sleepers].sort((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      this.#sleepers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.wake();
    }
    this.time = end;
    await nextTurn();
  }
}
