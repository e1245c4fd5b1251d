import type { Report } from '../../api/index.js';
import type { BlobDigest } from '../blobs/digest.js';

/** The parameters of a job by name. The record of its operation has their types. */
export type JobParameters = Readonly<Record<string, string | number>>;

/** The line on stdin that makes a kernel process warm up until it receives its next job. */
export const WARM_UP = 'warm-up';

/** One kernel run, sent to a kernel process as one line of JSON on its stdin. */
export interface Job<P = JobParameters> {
  operation: string;
  /** The path of the input. */
  inputPath: string;
  /** The SHA-256 of the input, if it is known. Other bytes fail the job. */
  inputSha256?: string;
  /** The filename that the user gave the input. Its extension determines the format. */
  filename: string;
  /** The folder of the files that the input may reference. Default: none is available. */
  companionFolder?: string;
  /** The path of the output, for operations that have one. */
  outputPath?: string;
  parameters: P;
  /** The memory limit of the kernel process. */
  memoryBytes: number;
  /** Whether the process must check its memory itself, because the system does not cap it. */
  checksOwnMemory: boolean;
  /** The number of threads that compute. Default: 1. */
  threads?: number;
}

/** The result of a kernel run besides its output file. */
export interface JobResult<Fields = object> {
  report?: Report;
  /** The fields that the operation adds to its result. */
  fields?: Fields;
}

/** The failure codes of a kernel run: those of the kernel, and those of its process. */
export type JobFailureCode =
  | 'FORMAT_UNKNOWN'
  | 'FILE_EMPTY'
  | 'FILE_MALFORMED'
  | 'FILE_ENCRYPTED'
  | 'SEVERAL_MODELS'
  | 'ENTRY_UNKNOWN'
  | 'EXTENSION_UNSUPPORTED'
  | 'PLATE_UNKNOWN'
  | 'TOO_LARGE'
  | 'CHECKSUM_WRONG'
  | 'REPAIR_INCOMPLETE'
  | 'NOT_SOLID'
  | 'NOTHING_LEFT'
  | 'SIZE_ZERO'
  | 'INPUT_MISSING'
  | 'INPUT_DAMAGED'
  | 'DISK_FULL'
  | 'OUT_OF_MEMORY'
  | 'DEADLINE_PASSED'
  | 'KERNEL_CRASHED';

/** The models in an archive of which a job must choose one. */
export interface ArchiveEntries {
  entries?: readonly string[];
  /** Set if there are more than `entries` lists. */
  hasMoreEntries?: true;
}

/** The outcome of a kernel run. */
export type JobOutcome<Fields = object> =
  /** `output`: the digest of the output file, if there is one. */
  | { type: 'done'; result: JobResult<Fields>; output?: BlobDigest }
  | ({ type: 'failed'; code: JobFailureCode; message: string; result?: JobResult } & ArchiveEntries);

/**
 * A message of a kernel process, one line of JSON on its stdout. An outcome is the last one of a job. `residentBytes`: the
 * resident memory of the process, which waits for another job. Without it, the process ends.
 */
export type JobMessage<Fields = object> =
  | { type: 'progress'; progress: number }
  | (JobOutcome<Fields> & { residentBytes?: number });
