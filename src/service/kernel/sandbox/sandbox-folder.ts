import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { link, lstat, readdir, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isMissing } from '../../machine/is-missing.js';
import { removeTree } from '../../machine/remove-tree.js';
import type { Job } from '../messages.js';

/** The folders of a kernel process, as it sees them. It can write to the second only. */
export const INPUT_FOLDER = '/job/in';
export const OUTPUT_FOLDER = '/job/out';

const NAME = 'model';
const COPY_BYTES = 1024 * 1024;

/** Moves a file. Does nothing if there is none. */
async function moveIfPresent(source: string, target: string): Promise<void> {
  await rename(source, target).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/**
 * The folder of a kernel process in a sandbox, through which the files of its jobs pass. Inputs are hard links in a folder that
 * the process cannot write to, else it could change the stored file. All that it writes is treated as hostile: it may replace
 * its output by a link to a file of the service.
 */
export class SandboxFolder {
  readonly path: string;
  readonly #input: string;
  readonly #output: string;

  /** Creates the folder, which must not exist. Use the file system of the inputs and outputs: they are then not copied. */
  constructor(folder: string) {
    this.path = folder;
    this.#input = path.join(folder, 'in');
    this.#output = path.join(folder, 'out');
    for (const each of [folder, this.#input, this.#output]) mkdirSync(each, { mode: 0o700 });
  }

  /**
   * Adds the input of a job. Resolves with the job as the process gets it. A missing input stays missing. `signal`: ends the
   * copy of an input on another file system, or on one without hard links.
   */
  async add(job: Job, signal: AbortSignal): Promise<Job> {
    const target = path.join(this.#input, NAME);
    try {
      await link(job.inputPath, target).catch(async (error: unknown) => {
        if (isMissing(error)) throw error;
        const source = createReadStream(job.inputPath, { highWaterMark: COPY_BYTES });
        await pipeline(source, createWriteStream(target, { flags: 'wx', mode: 0o600 }), { signal });
      });
    } catch (error) {
      if (!isMissing(error)) throw error; // else the process reports it
    }
    return {
      ...job,
      inputPath: path.posix.join(INPUT_FOLDER, NAME),
      ...(job.outputPath !== undefined && { outputPath: path.posix.join(OUTPUT_FOLDER, NAME) }),
    };
  }

  /** Moves the output of a job to its path, if there is one. Throws if it is not a file. */
  async takeOutput({ outputPath }: Job): Promise<void> {
    if (outputPath === undefined) return;
    await moveIfPresent(path.join(this.#output, NAME), outputPath);
    // Only now, where the process cannot replace it any more.
    const stats = await lstat(outputPath).catch(() => undefined);
    if (!stats || stats.isFile()) return;
    await rename(outputPath, path.join(this.path, 'refused'));
    throw new Error('The output of a kernel process is not a file.');
  }

  /** Deletes the files of a job while the process runs. Throws if anything remains, such as folders: the process must end. */
  async empty(): Promise<void> {
    for (const folder of [this.#input, this.#output]) {
      for (const name of await readdir(folder)) await unlink(path.join(folder, name));
    }
  }

  /** Deletes the folder, after the process has ended. */
  remove(): Promise<void> {
    return removeTree(this.path);
  }
}
