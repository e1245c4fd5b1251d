import { ClientError } from '../../src/client/index.js';

/** A clock whose sleeps end immediately and advance its time. */
export class InstantClock {
  time = 1_000;
  /** The durations of all sleeps, in ms. */
  readonly sleeps: number[] = [];
  /** The return value of `random`. */
  chance = 0.5;

  readonly now = (): number => this.time;
  readonly random = (): number => this.chance;
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    const endsAt = this.time + ms;
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        if (signal?.aborted) return reject(new ClientError('ABORTED', 'The sleep was aborted.'));
        this.sleeps.push(ms);
        this.time = Math.max(this.time, endsAt);
        resolve();
      });
    });
  };
}
