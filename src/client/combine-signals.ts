import { setMaxListeners } from 'node:events';
import type { CloseSignal } from './close-signal.js';

/** Something that ends calls. */
export type Abortable = AbortSignal | CloseSignal;

/** Calls `listener` when the source ends calls; at once, if it has. */
export function subscribeToAbort(source: Abortable | undefined, listener: () => void): void {
  // Any number of calls may share a signal; each lets go of it, so that is no leak to be warned of.
  if (source instanceof AbortSignal) setMaxListeners(0, source);
  if (source?.aborted) listener();
  else source?.addEventListener('abort', listener, { once: true });
}

/**
 * One signal that follows several. `release` lets go of them again: a signal that lives as long as its client must not
 * collect a listener for every call that it has seen (which `AbortSignal.any` does on Node 20).
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

/** The promise's outcome, or what `onAbort` makes, as soon as the signal says so. The promise's late rejection is held. */
export async function raceAbort<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  onAbort: () => Error,
): Promise<T> {
  if (!signal) return promise;
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(onAbort());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
