import { performance } from 'node:perf_hooks';
import { ClientError } from './client-error.js';

/** Time and randomness, injected so that tests can control them. */
export interface Clock {
  /** Returns a monotonic time in ms, which is independent of changes of the system clock. */
  now(): number;
  /** Resolves after `ms`. Rejects with `ABORTED` when the signal is aborted, and then leaves no timer. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a number in [0, 1). */
  random(): number;
}

/** Creates a clock from `performance.now`, `setTimeout` and `Math.random`, with `overrides`. */
export function createClock(overrides: { [K in keyof Clock]?: Clock[K] | undefined } = {}): Clock {
  return {
    now: overrides.now ?? (() => performance.now()),
    sleep: overrides.sleep ?? sleep,
    random: overrides.random ?? Math.random,
  };
}

/** Returns the error of a call that was ended by its signal or by `close`. */
export function abortedError(subject = 'The call'): ClientError {
  return new ClientError('ABORTED', `${subject} was aborted.`);
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedError());
    const onAbort = () => {
      clearTimeout(timer);
      reject(abortedError());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
