import type { RunningService } from '../running-service.js';
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
 * as the only line on stdout, then calls `onStarted`, which never rejects. Resolves with the exit status. Throws the error
 * of `start`, whose signal is aborted when a stop is requested; it may reject with its reason.
 */
export async function runUntilStopped(
  start: (signal: AbortSignal) => Promise<RunningService>,
  hasParentPipe = false,
  onStarted: (service: RunningService) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  process.umask(0o077); // also for kernel processes: all that they write belongs to the owner
  const stopping = new AbortController();
  const stop = waitForStop(hasParentPipe).then(() => stopping.abort(new Error('A stop was requested.')));
  const service = await start(stopping.signal).catch((error: unknown) => {
    if (stopping.signal.aborted && error === stopping.signal.reason) return undefined;
    throw error;
  });
  if (!service) return 0;
  writeText(process.stdout, `${service.baseUrl}\n`).catch(() => undefined); // the reader of stdout may be gone
  await onStarted(service);
  await stop;
  await service.close();
  return 0;
}
