import type { ArchiveEntries, JobFailureCode, JobResult } from '../../kernel/messages.js';

/** Error codes of a failed file: those of a kernel run, and those of the file system. */
export type ProcessFailureCode = JobFailureCode | 'FILE_UNREADABLE' | 'FILE_UNWRITABLE';

/** Thrown if a step of a file failed. Carries its partial result. */
export class StepError extends Error {
  override readonly name = 'StepError';
  readonly code: ProcessFailureCode;
  readonly result: JobResult;
  /** The models in an archive of several. */
  readonly archive: ArchiveEntries;

  constructor(
    code: ProcessFailureCode,
    message: string,
    result: JobResult = {},
    options: ErrorOptions & ArchiveEntries = {},
  ) {
    super(message, options);
    this.code = code;
    this.result = result;
    this.archive = options;
  }
}
