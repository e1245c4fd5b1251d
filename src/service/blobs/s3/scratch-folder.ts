import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { explainFolderError } from '../../data-folder/explain-folder-error.js';
import { LOCK_NAME, lockFolder } from '../../data-folder/lock-folder.js';
import type { Logger } from '../../logger.js';
import { abortable } from '../../machine/abortable.js';
import { ensureFolder } from '../../machine/ensure-folder.js';
import { removeFileOrTree } from '../../machine/remove-tree.js';
import { ServiceError } from '../../service-error.js';

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const SCRATCH_NAME = new RegExp(`^${ID}\\.(?:part|input)$`);

/** A copy of an object on the local disk. */
interface Input {
  key: string;
  path: string;
  size: number;
  /** How many jobs use it. One that none uses is kept until its space is needed. */
  useCount: number;
  /** Resolves when the copy is complete. */
  complete: Promise<void>;
  /** Aborted when nobody waits for the copy any more. */
  unused: AbortController;
}

/** Writes a copy of an object to a new file. Ends early when `signal` is aborted. */
export type Download = (file: string, signal: AbortSignal) => Promise<void>;

/**
 * The files of a worker on the local disk: copies of objects that jobs read, of `maxBytes` in total, and the outputs of
 * the jobs that are running, which are not counted.
 */
export interface ScratchFolder {
  /** Returns the path of a new file. */
  createPath(): string;
  /**
   * Resolves with the path of a copy of an object, which `download` writes if there is none. Waits while other jobs use
   * all the space. Every use ends with `release`. Throws the error of `download`, the abort reason of `signal`, or
   * `DISK_FULL` if the object is larger than the folder may be.
   */
  acquire(key: string, size: number, download: Download, signal?: AbortSignal): Promise<string>;
  /** Ends the use of a copy. Ignores other paths. */
  release(file: string): void;
  /** Keeps a file as the copy of an object for the jobs that read it next, or deletes it if there is no space. */
  keep(file: string, key: string, size: number): Promise<void>;
  /** Deletes a file of `createPath`, if it exists. */
  discard(file: string): Promise<void>;
}

/** Deletes the files of an earlier run. Leaves and reports what this program did not write. */
async function emptyFolder(folder: string, logger: Pick<Logger, 'warn'>): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== LOCK_NAME);
  for (const name of names) if (SCRATCH_NAME.test(name)) await removeFileOrTree(path.join(folder, name));
  const unknown = names.filter((name) => !SCRATCH_NAME.test(name));
  if (unknown.length > 0) logger.warn({ folder, names: unknown }, 'Unknown files in the scratch folder are kept');
}

/**
 * Opens a scratch folder that this process has locked, or that no other one uses. Deletes the files of an earlier run.
 * `maxBytes`: of all copies.
 */
export async function openScratchFolder(
  folder: string,
  maxBytes: number,
  logger: Pick<Logger, 'warn'>,
): Promise<ScratchFolder> {
  await emptyFolder(folder, logger);
  // Key → its copy, the least recently used first.
  const inputs = new Map<string, Input>();
  const waiting = new Set<() => void>();
  let usedBytes = 0;

  const wakeWaiting = (): void => {
    for (const resume of waiting) resume();
    waiting.clear();
  };

  const forget = (input: Input): void => {
    if (inputs.get(input.key) !== input) return;
    inputs.delete(input.key);
    usedBytes -= input.size;
    wakeWaiting();
  };

  /** Deletes unused copies until there is space for `size` bytes. Returns whether there is. */
  const makeSpace = (size: number): boolean => {
    const unused = [...inputs.values()].filter(({ useCount }) => useCount === 0);
    for (const input of unused) {
      if (usedBytes + size <= maxBytes) break;
      forget(input);
      rm(input.path, { force: true }).catch((err: unknown) => logger.warn({ err }, 'Could not delete a scratch file'));
    }
    return usedBytes + size <= maxBytes;
  };

  /** Adds a copy that has one user. */
  const add = (key: string, size: number, write: Download): Input => {
    const file = path.join(folder, `${randomUUID()}.input`);
    const unused = new AbortController();
    const input: Input = { key, path: file, size, useCount: 1, complete: Promise.resolve(), unused };
    usedBytes += size;
    inputs.set(key, input);
    const writeIfUsed = async (): Promise<void> => {
      await write(file, unused.signal);
      unused.signal.throwIfAborted(); // it was forgotten while its last bytes were written
    };
    input.complete = writeIfUsed().catch(async (error: unknown) => {
      forget(input);
      await rm(file, { force: true });
      throw error;
    });
    return input;
  };

  const endUse = (input: Input, isComplete: boolean): void => {
    input.useCount -= 1;
    if (input.useCount > 0) return;
    if (!isComplete) {
      forget(input);
      input.unused.abort(new Error('No job waits for the copy.'));
    }
    wakeWaiting();
  };

  /** Resolves with a copy that may not be complete. */
  const findOrAdd = async (key: string, size: number, download: Download, signal?: AbortSignal): Promise<Input> => {
    for (;;) {
      signal?.throwIfAborted();
      const existing = inputs.get(key);
      if (existing) {
        existing.useCount += 1;
        inputs.delete(key);
        inputs.set(key, existing); // now the most recently used
        return existing;
      }
      if (makeSpace(size)) return add(key, size, download);
      await abortable(new Promise<void>((resolve) => waiting.add(resolve)), signal);
    }
  };

  return {
    createPath: () => path.join(folder, `${randomUUID()}.part`),

    async acquire(key, size, download, signal) {
      if (size > maxBytes) {
        throw new ServiceError(
          'DISK_FULL',
          `Could not read the model: it has ${size} bytes, the scratch folder of the worker ${maxBytes}. Raise --scratch-size.`,
        );
      }
      const input = await findOrAdd(key, size, download, signal);
      try {
        await abortable(input.complete, signal);
      } catch (error) {
        endUse(input, false);
        throw error;
      }
      return input.path;
    },

    release(file) {
      const input = [...inputs.values()].find((candidate) => candidate.path === file);
      if (input && input.useCount > 0) endUse(input, true);
    },

    async keep(file, key, size) {
      if (inputs.has(key) || !makeSpace(size)) return rm(file, { force: true });
      const input = add(key, size, (target) => rename(file, target));
      await input.complete;
      endUse(input, true);
    },

    discard: (file) => rm(file, { force: true }),
  };
}

async function lockScratchFolder(folder: string): Promise<() => void> {
  const alternative = 'choose another folder with --scratch';
  const reason = `The scratch folder ${folder} is in use by another worker`;
  try {
    await ensureFolder(path.resolve(folder), 0o700);
    return await lockFolder(folder, `${reason}. Stop it, or ${alternative}.`);
  } catch (error) {
    throw await explainFolderError(error, folder, { name: 'scratch folder', alternative });
  }
}

/**
 * Opens the scratch folder of a process, as `openScratchFolder`, which it locks: another one would delete its files.
 * Creates it if it is missing. `release` unlocks it. Throws `FOLDER_LOCKED`, `FOLDER_UNUSABLE` or `DISK_FULL`.
 */
export async function openOwnScratchFolder(
  folder: string,
  maxBytes: number,
  logger: Pick<Logger, 'warn'>,
): Promise<{ scratch: ScratchFolder; release: () => void }> {
  const release = await lockScratchFolder(folder);
  try {
    return { scratch: await openScratchFolder(folder, maxBytes, logger), release };
  } catch (error) {
    release();
    throw error;
  }
}
