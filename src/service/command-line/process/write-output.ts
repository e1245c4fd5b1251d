import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { JobRequest } from '../../kernel/kernel-runner.js';
import type { JobResult } from '../../kernel/messages.js';
import { ensureFolder } from '../../machine/ensure-folder.js';
import { toOutputError } from '../write-text.js';
import { claimFilename } from './claim-filename.js';
import { STANDARD_STREAM } from './output-options.js';
import { StepError } from './step-error.js';

/** A job of a file, without what the file determines. */
export type FileJob = Omit<JobRequest, 'filename'>;

/** Runs a job of a file. Throws `StepError` if it fails. */
export type RunStep = (job: FileJob) => Promise<JobResult>;

/** The name of an output, and the result of what wrote it. */
export interface WrittenOutput<T> {
  /** `-` for stdout. */
  file: string;
  result: T;
}

function toStepError(file: string, cause: unknown): StepError {
  const reason = cause instanceof Error ? cause.message : 'unknown';
  return new StepError('FILE_UNWRITABLE', `Could not write ${file}: ${reason}.`, {}, { cause });
}

/** Creates an empty file beside the output, with the user's default permissions, and its missing folders. */
async function createPart(preferred: string): Promise<string> {
  const part = `${preferred}.${randomBytes(4).toString('hex')}.part`;
  try {
    await ensureFolder(path.dirname(preferred));
    await (await open(part, 'wx')).close();
    return part;
  } catch (error) {
    throw toStepError(preferred, error);
  }
}

/**
 * Writes a file to an unused filename, where it appears only once it is complete: no interruption leaves a part under
 * that name. `write` gets the path to write to.
 */
export async function writeOutput<T>(
  preferred: string,
  write: (part: string) => Promise<T>,
): Promise<WrittenOutput<T>> {
  const part = await createPart(preferred);
  try {
    const result = await write(part);
    const file = await claimFilename(preferred).catch((error: unknown) => {
      throw toStepError(preferred, error);
    });
    await rename(part, file);
    return { file, result };
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Writes the output of a job to stdout, chunk by chunk, once it is complete in the file `temporaryPath`. Rejects
 * with `ClosedOutputError` if nobody reads stdout.
 */
export async function sendOutput(
  temporaryPath: string,
  run: RunStep,
  job: FileJob,
  signal: AbortSignal,
): Promise<WrittenOutput<JobResult>> {
  const result = await run({ ...job, outputPath: temporaryPath });
  await pipeline(createReadStream(temporaryPath), process.stdout, { signal, end: false }).catch((error: unknown) => {
    throw toOutputError(error);
  });
  return { file: STANDARD_STREAM, result };
}
