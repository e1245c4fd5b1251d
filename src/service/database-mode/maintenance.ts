import type { PgBoss } from 'pg-boss';
import type { Logger } from '../logger.js';
import { repeat } from '../machine/repeat.js';
import { MAINTENANCE_QUEUE } from '../store/shared/open-boss.js';

/** The dependencies of `startMaintenance`. */
export interface MaintenanceDependencies {
  boss: PgBoss;
  /** The time between two runs, in ms. */
  intervalMs: number;
  /** What one process does in each run, in this order. One that fails does not keep the others from it. */
  tasks: readonly ((signal: AbortSignal) => Promise<unknown>)[];
  logger: Logger;
}

/**
 * Runs the tasks regularly in one of the processes: all send a job, of which pg-boss accepts one per interval, and one
 * fetches it. Returns a function that ends this, after the current task.
 */
export function startMaintenance({ boss, intervalMs, tasks, logger }: MaintenanceDependencies): () => Promise<void> {
  const stopping = new AbortController();
  const onError = (err: unknown): void => {
    if (!stopping.signal.aborted) logger.error({ err }, 'Could not do the maintenance');
  };
  const run = async (): Promise<void> => {
    await boss.send(MAINTENANCE_QUEUE, null, { singletonSeconds: Math.ceil(intervalMs / 1000) });
    const [job] = await boss.fetch(MAINTENANCE_QUEUE);
    if (!job) return;
    for (const task of tasks) if (!stopping.signal.aborted) await task(stopping.signal).catch(onError);
    await boss.complete(MAINTENANCE_QUEUE, job);
  };
  const end = repeat(run, intervalMs / 2, onError);
  return async () => {
    stopping.abort(new Error('The worker is stopping.'));
    await end();
  };
}
