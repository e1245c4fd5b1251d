import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import { delay } from '../machine/delay.js';
import { isDiskFull } from '../service-error.js';
import type { Files } from '../store/files.js';
import type { FileRow } from '../store/schema.js';
import type { ScrubPosition } from '../store/scrub-position.js';
import { type VerifyDependencies, verifyFile } from './verify-file.js';

/** The dependencies of `scrubFile`. */
export interface ScrubFileDependencies extends VerifyDependencies {
  limits: Pick<Limits, 'scrubBlockPauseMs'>;
  logger: Logger;
}

/** The dependencies of a scrubber. */
export interface ScrubberDependencies extends ScrubFileDependencies {
  files: Pick<Files, 'findStored' | 'setDamaged' | 'findNextStored' | 'countStored'>;
  scrubPosition: ScrubPosition;
  limits: Pick<Limits, 'scrubPassMs' | 'scrubStartMs' | 'scrubBlockPauseMs' | 'storeRetryMs'>;
}

/** A timer cannot wait longer than 24 days. A store with few files is read more often than necessary. */
export const MAX_INTERVAL_MS = 24 * 60 * 60 * 1000;

// On a memory card, which reads slowly, the pauses are longer.
const MAX_WORK_FRACTION = 0.1;

/** Returns a function that pauses for at least `minMs`, and longer if much time has passed since the last pause. */
function createPause(minMs: number, signal: AbortSignal): () => Promise<void> {
  let resumedAt = performance.now();
  return async () => {
    const workMs = performance.now() - resumedAt;
    await delay(Math.max(minMs, workMs / MAX_WORK_FRACTION), signal);
    resumedAt = performance.now();
  };
}

/**
 * Checks one file, and stores the position with `recordPosition`. On a full disk, or if the file cannot be read, the next
 * pass repeats that. `onBlock` is awaited after each block. Resolves with whether the file was checked.
 */
export async function scrubFile(
  file: FileRow,
  dependencies: ScrubFileDependencies,
  signal: AbortSignal,
  recordPosition: (id: string) => Promise<void>,
  onBlock: () => Promise<void> = () => Promise.resolve(),
): Promise<boolean> {
  const { limits, logger } = dependencies;
  const { id, filename } = file;
  const pause = createPause(limits.scrubBlockPauseMs, signal);
  try {
    const verdict = await verifyFile(file, dependencies, signal, () => pause().then(onBlock));
    if (verdict.state === 'sound' && verdict.isRestored) logger.warn({ id, filename }, 'A damaged file is sound again');
    await recordPosition(id);
    return true;
  } catch (err) {
    if (!signal.aborted && !isDiskFull(err)) logger.error({ err, id, filename }, 'Could not check a stored file');
    return false;
  }
}

/**
 * Starts to check all stored files one after the other, in the background, again and again. A pass takes `scrubPassMs`;
 * after a restart it goes on where it was. A pause after each block keeps the disk and the processor free for others.
 * Returns a function that ends it.
 */
export function startScrubbing(dependencies: ScrubberDependencies): () => Promise<void> {
  const { files, scrubPosition, limits, logger } = dependencies;
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    await delay(limits.scrubStartMs, signal);
    let lastId = await scrubPosition.find();
    while (!signal.aborted) {
      let intervalMs = limits.storeRetryMs;
      try {
        const file = await files.findNextStored(lastId);
        if (file) await scrubFile(file, dependencies, signal, scrubPosition.replace);
        lastId = file?.id ?? '';
        intervalMs = limits.scrubPassMs / Math.max(1, await files.countStored());
      } catch (err) {
        logger.error({ err }, 'Could not read the next file to check: trying again later');
      }
      await delay(Math.min(intervalMs, MAX_INTERVAL_MS), signal);
    }
  };
  const running = limits.scrubPassMs > 0 ? run() : Promise.resolve();
  const ended = running.catch((err: unknown) => logger.error({ err }, 'Stopped checking stored files'));
  return () => {
    stopping.abort(new Error('The service is stopping.'));
    return ended;
  };
}
