import { stat } from 'node:fs/promises';
import { delay } from '../delay.js';
import { createNodeError } from '../node/flow-error.js';

/** Pauses between two looks at a file, in ms: a quarter of the time that it must stand still, but no more than this. */
const MAX_POLL_INTERVAL_MS = 500;

export interface StableFileOptions {
  /** How long size and time must stay the same, in ms. */
  stableMs: number;
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
export async function waitUntilStable(file: string, options: StableFileOptions): Promise<void> {
  const { stableMs, timeoutMs, signal, now = () => performance.now(), sleep = delay } = options;
  const begin = now();
  let quietSince = begin;
  let seen = await readFingerprint(file);
  while (now() - quietSince < stableMs) {
    if (now() - begin >= timeoutMs)
      throw createNodeError('WAIT_TIMEOUT', `${file} was still being written after ${Math.round(timeoutMs / 1000)} s`);
    await sleep(Math.min(stableMs / 4, MAX_POLL_INTERVAL_MS), signal);
    signal.throwIfAborted();
    const match = await readFingerprint(file);
    if (match === seen) continue;
    seen = match;
    quietSince = now();
  }
}

async function readFingerprint(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file).catch((error: unknown) => {
    throw createNodeError('FILE_UNREADABLE', `could not read ${file}: ${Object(error).code ?? error}`);
  });
  return `${size} ${mtimeMs}`;
}
