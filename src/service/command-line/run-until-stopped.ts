import type { RunningService } from '../serve.js';
import { writeText } from './write-text.js';

/** Resolves on SIGTERM or SIGINT or, with `--parent-pipe`, when stdin is closed because the parent ended. */
function waitForStop(hasParentPipe: boolean): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve());
    process.on('SIGINT', () => resolve());
    if (!hasParentPipe) return;
    process.stdin.on('end', () => resolve());
    process.stdin.on('close', () => resolve());
    process.stdin.on('error', () => resolve());
    process.stdin.resume();
  });
}

/**
 * Runs a service until a stop is requested: by a signal or, with `hasParentPipe`, by the end of stdin. Prints its base URL
 * as the only line on stdout, then calls `onStarted`, which never rejects. Resolves with the exit status; throws the error of `start`.
 */
export async function runUntilStopped(
  start: () => Promise<RunningService>,
  hasParentPipe = false,
  onStarted: (service: RunningService) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  process.umask(0o077); // also for kernel processes: all that they write belongs to the owner
  const stop = waitForStop(hasParentPipe); // registered first: a stop may be requested during the start
  const service = await start();
  writeText(process.stdout, `${service.baseUrl}\n`).catch(() => undefined); // the reader of stdout may be gone
  await onStarted(service);
  await stop;
  await service.close();
  return 0;
}
