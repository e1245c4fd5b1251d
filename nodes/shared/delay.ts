import { setTimeout as sleep } from 'node:timers/promises';

/** Waits `ms`; an abort ends the wait at once, without an error. Leaves no timer behind. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}
