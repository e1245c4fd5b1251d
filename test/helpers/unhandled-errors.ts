import { nextTurn } from './next-turn.js';

/**
 * Runs `work` and returns its unhandled rejections and uncaught exceptions. No other listener receives them meanwhile.
 */
export async function collectUnhandledErrors(work: () => Promise<void>): Promise<unknown[]> {
  const errors: unknown[] = [];
  const record = (reason: unknown) => errors.push(reason);
  const restore = [replaceListeners('unhandledRejection', record), replaceListeners('uncaughtException', record)];
  try {
    await work();
    // Unhandled rejections are reported at the end of a turn of the event loop.
    await nextTurn();
  } finally {
    for (const each of restore) each();
  }
  return errors;
}

/** Replaces all listeners of an event. Returns a function that restores them. */
function replaceListeners(
  event: 'unhandledRejection' | 'uncaughtException',
  listener: (reason: unknown) => void,
): () => void {
  const others = process.rawListeners(event);
  process.removeAllListeners(event);
  process.on(event, listener);
  return () => {
    process.removeAllListeners(event);
    for (const other of others) Reflect.apply(process.on, process, [event, other]);
  };
}
