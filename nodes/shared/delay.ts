import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms`, or as soon as `signal` aborts. Never rejects on an abort, and then clears its timer. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}

/** Schedules a call of `run` after `ms`. Returns a function that cancels the call. */
export type Scheduler = (run: () => void, ms: number) => () => void;

/** Schedules a call with `setTimeout`. */
export function scheduleTimeout(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
