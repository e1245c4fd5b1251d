import { stat } from 'node:fs/promises';
import { nodeError } from './flow-error.js';
import { pause } from './pause.js';

/** Pauses between two looks at a file, in ms: a quarter of the time that it must stand still, but no more than this. */
const MAX_PAUSE_MS = 500;

export interface CompleteFileOptions {
  /** How long size and time must stay the same, in ms. */
  quietMs: number;
  /** After this it is given up, in ms. */
  timeoutMs: number;
  signal: AbortSignal;
  now?: () => number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Waits until somebody else has written a file whole: until its size and time have stayed the same. `FILE_UNREADABLE` where it is not
 * there, or goes away; `WAIT_TIMEOUT`; an abort throws the signal's reason.
 */
export async function untilComplete(file: string, options: CompleteFileOptions): Promise<void> {
  const { quietMs, timeoutMs, signal, now = () => performance.now(), sleep = pause } = options;
  const begin = now();
  let quietSince = begin;
  let seen = await look(file);
  while (now() - quietSince < quietMs) {
    if (now() - begin >= timeoutMs)
      throw nodeError('WAIT_TIMEOUT', `${file} was still being written after ${Math.round(timeoutMs / 1000)} s`);
    await sleep(Math.min(quietMs / 4, MAX_PAUSE_MS), signal);
    signal.throwIfAborted();
    const found = await look(file);
    if (found === seen) continue;
    seen = found;
    quietSince = now();
  }
}

async function look(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file).catch((error: unknown) => {
    throw nodeError('FILE_UNREADABLE', `could not read ${file}: ${Object(error).code ?? error}`);
  });
  return `${size} ${mtimeMs}`;
}
