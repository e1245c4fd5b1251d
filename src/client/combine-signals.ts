import { setMaxListeners } from 'node:events';
import type { CloseSignal } from './close-signal.js';

/** A signal that can abort a call. */
export type Abortable = AbortSignal | CloseSignal;

/** Calls `listener` when `source` is aborted, immediately if it already is. */
export function subscribeToAbort(source: Abortable | undefined, listener: () => void): void {
  // Many calls may share a signal, and each removes its listener. The leak warning of Node.js would be a false alarm.
  if (source instanceof AbortSignal) setMaxListeners(0, source);
  if (source?.aborted) listener();
  else source?.addEventListener('abort', listener, { once: true });
}

/**
 * Returns a signal that is aborted with the first of several, and `release`, which removes its listeners. Without
 * `release`, a long-lived signal would collect a listener per call, as with `AbortSignal.any` on Node.js 20.
 */
export function combineSignals(sources: readonly (Abortable | undefined)[]): {
  signal: AbortSignal;
  release: () => void;
} {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const source of sources) subscribeToAbort(source, abort);
  const release = () => {
    for (const source of sources) source?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}

/**
 * Settles like `promise`, or rejects with the error of `createError` as soon as the signal is aborted. A later
 * rejection of `promise` does not count as unhandled.
 */
export async function raceAbort<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  createError: () => Error,
): Promise<T> {
  if (!signal) return promise;
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(createError());
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** How long an aborted call may delete its files before it is reported as ended. It goes on in the background. */
const ABORT_GRACE_MS = 1_000;

/**
 * Settles like `promise`, or rejects with the error of `createError` a second after an abort: work on a disk or a stream
 * that does not react must not hold up its caller.
 */
export async function endAfterAbort<T>(promise: Promise<T>, signal: AbortSignal, createError: () => Error): Promise<T> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => late.abort(), ABORT_GRACE_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await raceAbort(promise, late.signal, createError);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
