import { randomUUID } from 'node:crypto';
import type { Limits } from '../defaults.js';
import { MAX_INTERVAL_MS, type ScrubFileDependencies, scrubFile } from '../integrity/scrubber.js';
import { delay } from '../machine/delay.js';
import type { Files } from '../store/files.js';
import type { ScrubTurns } from '../store/postgres/scrub-turns.js';
import type { FileRow } from '../store/schema.js';

/** The dependencies of `startScrubbing`. */
export interface SharedScrubDependencies extends ScrubFileDependencies {
  files: Pick<Files, 'findStored' | 'setDamaged' | 'findNextStored' | 'countStored'>;
  turns: ScrubTurns;
  limits: Pick<Limits, 'scrubPassMs' | 'scrubStartMs' | 'scrubBlockPauseMs'>;
  /** Called after each file that was checked. */
  onChecked?: () => void;
}

// A process that ends during a check is replaced after this time. A turn is kept with each block, but not more often than
// necessary.
const HOLD_MS = 10 * 60 * 1000;
const KEEP_INTERVAL_MS = 60 * 1000;

// How often a process looks for a turn that another one has, and the time after a failure.
const MAX_POLL_MS = 30 * 1000;
const FAILURE_PAUSE_MS = 60 * 1000;

// Counting reads the index of all files.
const COUNT_INTERVAL_MS = 10 * 60 * 1000;

/** Returns a function that resolves with the time between two files, for a pass of `scrubPassMs`. */
function createInterval({ files, limits }: SharedScrubDependencies): () => Promise<number> {
  let countedAt = Number.NEGATIVE_INFINITY;
  let count = 0;
  return async () => {
    if (performance.now() - countedAt > COUNT_INTERVAL_MS) {
      count = await files.countStored();
      countedAt = performance.now();
    }
    return Math.min(limits.scrubPassMs / Math.max(1, count), MAX_INTERVAL_MS);
  };
}

/** Returns a function that keeps the turn, to be called after each block. Throws if another process has it. */
function createKeeper(turns: ScrubTurns, lease: string): () => Promise<void> {
  let keptAt = performance.now();
  return async () => {
    if (performance.now() - keptAt < KEEP_INTERVAL_MS) return;
    if (!(await turns.keep(lease, HOLD_MS))) throw new Error('Another process checks the stored files.');
    keptAt = performance.now();
  };
}

/**
 * Starts to check all stored files of a service on many machines, one after the other, again and again. A pass takes
 * `scrubPassMs`, however many processes do this: the turn to check the next file is in the database, with the position. A
 * pause after each block limits the rate. Returns a function that ends it, and gives the turn back.
 */
export function startScrubbing(dependencies: SharedScrubDependencies): () => Promise<void> {
  const { files, turns, limits, logger, onChecked } = dependencies;
  const stopping = new AbortController();
  const { signal } = stopping;
  const lease = randomUUID();
  const pollMs = Math.min(limits.scrubPassMs, MAX_POLL_MS);
  const computeInterval = createInterval(dependencies);

  /** Checks a file in this turn, and ends it. A file that cannot be read is left for the next pass. */
  const checkFile = async (file: FileRow, lastId: string): Promise<void> => {
    let waitMs = FAILURE_PAUSE_MS;
    const recordPosition = async (): Promise<void> => {
      waitMs = await computeInterval();
    };
    const isChecked = await scrubFile(file, dependencies, signal, recordPosition, createKeeper(turns, lease));
    if (isChecked) onChecked?.();
    if (signal.aborted) return turns.end(lease, lastId, 0);
    return turns.end(lease, file.id, waitMs);
  };

  /** Resolves with the time to wait until the next turn may be due. */
  const takeTurn = async (): Promise<number> => {
    const lastId = await turns.take(lease, HOLD_MS);
    if (lastId === undefined) return pollMs;
    const file = await files.findNextStored(lastId);
    if (file) await checkFile(file, lastId);
    else await turns.end(lease, '', lastId === '' ? pollMs : 0); // the next pass begins, or there are no files
    return Math.min(await computeInterval(), pollMs);
  };

  const run = async (): Promise<void> => {
    await delay(limits.scrubStartMs, signal);
    while (!signal.aborted) {
      const waitMs = await takeTurn().catch((err: unknown) => {
        if (!signal.aborted) logger.error({ err }, 'Could not read the next file to check: trying again later');
        return pollMs;
      });
      await delay(waitMs, signal);
    }
  };
  const running = limits.scrubPassMs > 0 ? run() : Promise.resolve();
  const ended = running.catch((err: unknown) => logger.error({ err }, 'Stopped checking stored files'));
  return () => {
    stopping.abort(new Error('The worker is stopping.'));
    return ended;
  };
}
