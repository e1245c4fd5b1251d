import { createWriteStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDiskFull } from '../../service-error.js';
import { STANDARD_STREAM } from './output-options.js';
import type { PlannedFile } from './plan-files.js';
import { type ProcessFailureCode, StepError } from './step-error.js';

function refuse(code: ProcessFailureCode, message: string, cause?: unknown): never {
  throw new StepError(code, message, {}, { cause });
}

/** Copies stdin to a file, chunk by chunk. */
async function saveStdin(file: string, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(process.stdin, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (isDiskFull(error)) refuse('DISK_FULL', 'Could not store stdin: the disk is full. Free disk space.', error);
    const reason = error instanceof Error ? error.message : 'unknown';
    refuse('FILE_UNREADABLE', `Could not read stdin: ${reason}.`, error);
  }
}

/**
 * Returns the path of an input that can be read; stdin is stored in `temporaryPath` first. Throws `StepError` if the
 * file cannot be read, before a kernel process is started.
 */
export async function readInput({ input }: PlannedFile, temporaryPath: string, signal: AbortSignal): Promise<string> {
  if (input.problem !== undefined) refuse('FILE_UNREADABLE', input.problem);
  if (input.name === STANDARD_STREAM) {
    await saveStdin(temporaryPath, signal);
    return temporaryPath;
  }
  await stat(input.name).catch((error: unknown) => refuse('FILE_UNREADABLE', 'No such file.', error));
  await access(input.name, constants.R_OK).catch((error: unknown) =>
    refuse('FILE_UNREADABLE', 'Permission denied. Check the permissions of the file.', error),
  );
  return path.resolve(input.name);
}
