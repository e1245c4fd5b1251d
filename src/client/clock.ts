import { performance } from 'node:perf_hooks';
import { ClientError } from './client-error.js';

/** Time and chance, handed in so that tests can hold them. */
export interface Clock {
  /** Milliseconds that only ever grow: no step of the machine's clock moves them. */
  now(): number;
  /** Resolves after `ms`; rejects with `ABORTED` as soon as the signal says so, and leaves no timer. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}

/** The real clock, with the caller's parts in place of its own. */
export function createClock(overrides: { [K in keyof Clock]?: Clock[K] | undefined } = {}): Clock {
  return {
    now: overrides.now ?? (() => performance.now()),
    sleep: overrides.sleep ?? sleep,
    random: overrides.random ?? Math.random,
  };
}

/** The error of every call that was ended by its signal or by `close`. */
export function abortedError(what = 'The call'): ClientError {
  return new ClientError('ABORTED', `${what} was aborted.`);
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
