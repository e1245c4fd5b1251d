import { stat } from 'node:fs/promises';
import { delay } from '../delay.js';
import { createNodeError } from '../node/flow-error.js';

/** The maximum poll interval. The poll interval is a quarter of `stableMs` if that is shorter. */
const MAX_POLL_INTERVAL_MS = 500;

/** The options of `waitUntilStable`. */
export interface StableFileOptions {
  /** How long the size and the modification time must remain unchanged. */
  stableMs: number;
  /** The maximum duration of the whole wait. */
  timeoutMs: number;
  signal: AbortSignal;
  /** A monotonic clock in ms. Default: `performance.now`. */
  now?: () => number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Waits until another process has finished writing a file: until its size and modification time have not changed for
 * `stableMs`. Polls, because Node.js does not report when another process closes a file. The option `awaitWriteFinish`
 * of chokidar does the same with the size only. Throws `FILE_UNREADABLE` if the file does not exist or is deleted,
 * `WAIT_TIMEOUT` if it still changes after `timeoutMs`, and the reason of the signal on an abort.
 */
export async function waitUntilStable(file: string, options: StableFileOptions): Promise<void> {
  const { stableMs, timeoutMs, signal, now = () => performance.now(), sleep = delay } = options;
  const startedAt = now();
  let unchangedSince = startedAt;
  let previous = await readFingerprint(file);
  while (now() - unchangedSince < stableMs) {
    if (now() - startedAt >= timeoutMs) {
      const fact = `"${file}" was still changing after ${Math.round(timeoutMs / 1000)} s`;
      throw createNodeError('WAIT_TIMEOUT', `File incomplete: ${fact}. Raise the wait timeout of the service node.`);
    }
    await sleep(Math.min(stableMs / 4, MAX_POLL_INTERVAL_MS), signal);
    signal.throwIfAborted();
    const current = await readFingerprint(file);
    if (current === previous) continue;
    previous = current;
    unchangedSince = now();
  }
}

// Returns the size and the modification time of a file as one string, for comparison.
async function readFingerprint(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file).catch((error: unknown) => {
    throw createNodeError(
      'FILE_UNREADABLE',
      `Could not read "${file}": ${Object(error).code ?? error}. Check the path and its permissions.`,
    );
  });
  return `${size} ${mtimeMs}`;
}
