import { ClientError } from '../client-error.js';
import { abortedError } from '../clock.js';

/** The limits of reading a source. */
export interface IdleLimit {
  /** How long a source may provide no bytes. */
  idleMs: number;
  /** Ends the reading with `ABORTED`. */
  signal: AbortSignal;
}

/**
 * Yields the chunks of a source. Throws `TIMEOUT` with the name of the source after `idleMs` without a byte, and `ABORTED`,
 * also while the source does not react: a stream without end, a file on a disk that hangs. The time in which the consumer
 * requests no chunk does not count.
 */
export async function* limitIdle<T>(source: AsyncIterable<T>, name: string, limit: IdleLimit): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let remainingMs = limit.idleMs;
  let isEnded: boolean = false;
  try {
    for (;;) {
      const startedAt = performance.now();
      const next = await waitForSource(iterator.next(), name, limit, remainingMs);
      isEnded = next.done === true;
      if (next.done) return;
      const isEmpty = Object(next.value).length === 0;
      remainingMs = isEmpty ? remainingMs - (performance.now() - startedAt) : limit.idleMs;
      yield next.value;
    }
  } finally {
    // Not awaited: a source that does not react would not react to this either.
    if (!isEnded) iterator.return?.().catch(() => {});
  }
}

/** Settles like `promise`, which reads a source or opens it, or throws `TIMEOUT` after `ms`, or `ABORTED`. */
export function waitForSource<T>(
  promise: Promise<T>,
  name: string,
  { idleMs, signal }: IdleLimit,
  ms = idleMs,
): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {});
    return Promise.reject(abortedError('The upload'));
  }
  return new Promise((resolve, reject) => {
    const end = (act: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const onAbort = () => end(() => reject(abortedError('The upload')));
    const timer = setTimeout(() => end(() => reject(idleError(name, idleMs))), Math.max(0, ms));
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}

function idleError(name: string, idleMs: number): ClientError {
  const remedy = 'Check the node or the disk that it comes from.';
  return new ClientError('TIMEOUT', `Could not read ${name}: no data for ${idleMs / 1000} s. ${remedy}`);
}
