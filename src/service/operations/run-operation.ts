import type { BlobRecord } from '../blobs/blob-record.js';
import type { BlobStore, SpaceReserver } from '../blobs/blob-store.js';
import type { BlobDigest } from '../blobs/digest.js';
import { waitForStorage } from '../blobs/wait-for-storage.js';
import type { DamageRecorder } from '../integrity/damage-recorder.js';
import type { JobTurn } from '../kernel/job-turn.js';
import type { JobRequest, RunJob } from '../kernel/kernel-runner.js';
import type { JobFailureCode, JobOutcome, JobParameters } from '../kernel/messages.js';
import { createProblemEntry } from '../problem-entries.js';
import type { RetentionClock } from '../retention-clock.js';
import { isDiskFull, ServiceError, type ServiceErrorCode } from '../service-error.js';
import { createFileRow } from '../store/file-row.js';
import type { Files } from '../store/files.js';
import type { ClaimedOperation } from '../store/job-queue.js';
import type { Completion } from '../store/operations.js';
import type { FileRow, NewFileRow, OperationRow } from '../store/schema.js';
import { findKind } from './kinds.js';
import type { ResultCache } from './result-cache.js';

/** The dependencies of `runOperation`. */
export interface RunDependencies {
  blobs: BlobStore;
  files: Pick<Files, 'find'>;
  damage: DamageRecorder;
  runJob: RunJob;
  /** Default: every operation runs. */
  resultCache?: ResultCache | undefined;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
}

/** The options of one run. */
export interface RunOptions {
  signal: AbortSignal;
  onProgress: (progress: number) => void;
  /** Called when the job has ended: what follows needs no kernel process. */
  onJobEnd: () => void;
  /** Returns the maximum number of threads of the job when it starts. Default: 1. */
  countThreads?: () => number;
  /** Suspends the job. Default: it is not suspended. */
  turn?: JobTurn;
  /**
   * Reserves the space for the output of the run. The reservation is to be kept until the completion is recorded: the
   * output does not count as stored before. Throws like `Reservation.grow`.
   */
  reserveOutput: SpaceReserver;
}

/** Failure code of a kernel run → error code of the API. */
const ERROR_CODE_BY_FAILURE: Record<JobFailureCode, ServiceErrorCode> = {
  FORMAT_UNKNOWN: 'FILE_UNREADABLE',
  FILE_MALFORMED: 'FILE_UNREADABLE',
  FILE_EMPTY: 'FILE_EMPTY',
  FILE_ENCRYPTED: 'FILE_ENCRYPTED',
  SEVERAL_MODELS: 'SEVERAL_MODELS',
  ENTRY_UNKNOWN: 'ENTRY_UNKNOWN',
  EXTENSION_UNSUPPORTED: 'EXTENSION_UNSUPPORTED',
  PLATE_UNKNOWN: 'PLATE_UNKNOWN',
  TOO_LARGE: 'MODEL_TOO_LARGE',
  CHECKSUM_WRONG: 'MODEL_DAMAGED',
  REPAIR_INCOMPLETE: 'REPAIR_INCOMPLETE',
  NOT_SOLID: 'NOT_SOLID',
  NOTHING_LEFT: 'NOTHING_LEFT',
  SIZE_ZERO: 'SIZE_ZERO',
  INPUT_MISSING: 'INPUT_EXPIRED',
  INPUT_DAMAGED: 'FILE_DAMAGED',
  DISK_FULL: 'DISK_FULL',
  OUT_OF_MEMORY: 'OUT_OF_MEMORY',
  DEADLINE_PASSED: 'DEADLINE_PASSED',
  KERNEL_CRASHED: 'KERNEL_CRASHED',
};

interface FailureDetails {
  report?: unknown;
  entries?: readonly string[] | undefined;
}

function failure(code: ServiceErrorCode, message: string, { report, entries }: FailureDetails = {}): Completion {
  return {
    isSuccessful: false,
    error: JSON.stringify({ ...createProblemEntry(code, message), ...(entries && { entries }) }),
    report: report === undefined ? null : JSON.stringify(report),
  };
}

/** Returns the completion of an operation that threw: a full disk, or an internal error. */
export function completionForError(error: unknown): Completion {
  if (error instanceof ServiceError) return failure(error.code, error.message);
  if (isDiskFull(error))
    return failure('DISK_FULL', 'Could not store the output: the disk of the service is full. Free disk space.');
  return failure('INTERNAL', 'Internal error. See the service log.');
}

/** One run of an operation. */
interface Run {
  row: ClaimedOperation;
  /** Undefined if its row is missing: the job then fails. */
  input: FileRow | undefined;
  parameters: JobParameters;
  /** The scratch file for its output. */
  outputPath: string;
  reserveOutput: RunOptions['reserveOutput'];
  signal: AbortSignal;
}

/**
 * Stores the output file of a kernel process. Returns its row: the output exists for users only once that row is
 * committed.
 */
async function storeOutput(
  { row, parameters, outputPath, reserveOutput, signal }: Run,
  digest: BlobDigest | undefined,
  { blobs, clock, now }: RunDependencies,
): Promise<NewFileRow | undefined> {
  const output = findKind(row.kind)?.output;
  if (row.output_id === null || !output) return undefined;
  if (!digest) throw new Error(`The kernel reported no digest of the output of ${row.kind}.`);
  const record: BlobRecord = {
    ...{ id: row.output_id, owner: row.owner, kind: output.kind },
    filename: output.createFilename(row.filename, parameters),
    mediaType: output.findMediaType(parameters),
    createdAt: now(),
    operationId: row.id,
    ...digest,
  };
  const lease = row.lease ?? undefined;
  const blobKey = await waitForStorage(() => blobs.fromScratch(outputPath, record, lease, reserveOutput), signal);
  return createFileRow(record, clock.now(), blobKey);
}

/** Returns the completion of a failed job. If its input is damaged, records that. */
async function completionForFailure(
  { code, message, result, entries }: Extract<JobOutcome, { type: 'failed' }>,
  { input, signal }: Run,
  damage: DamageRecorder,
): Promise<Completion> {
  const isDamaged = code === 'INPUT_DAMAGED' || (code === 'INPUT_MISSING' && input?.deleted_at === null);
  if (isDamaged && input) await waitForStorage(() => damage.record(input, new Error(message)), signal);
  return failure(isDamaged ? 'FILE_DAMAGED' : ERROR_CODE_BY_FAILURE[code], message, {
    report: result?.report,
    entries,
  });
}

async function completionForOutcome(run: Run, outcome: JobOutcome, dependencies: RunDependencies): Promise<Completion> {
  if (outcome.type === 'failed') return completionForFailure(outcome, run, dependencies.damage);
  const { report, fields = {} } = outcome.result;
  return {
    isSuccessful: true,
    output: await storeOutput(run, outcome.output, dependencies),
    result: JSON.stringify(fields),
    report: report === undefined ? null : JSON.stringify(report),
    provenance: {
      input_hash: run.input?.sha256 ?? null,
      kernel: dependencies.resultCache?.kernelVersion ?? null,
    },
  };
}

/**
 * Completes an operation with the output of the identical operation `cached`. Returns `undefined` if that output is
 * gone or damaged.
 */
async function completeFromCache(
  run: Run,
  cached: OperationRow,
  resultCache: ResultCache,
  dependencies: RunDependencies,
): Promise<Completion | undefined> {
  const { outputPath, signal } = run;
  const reused = await waitForStorage(() => resultCache.reuseOutput(cached, outputPath, signal), signal);
  if (!reused) return undefined;
  const output = await storeOutput(run, reused.output, dependencies);
  return { isSuccessful: true, output, result: cached.result ?? '{}', report: cached.report, provenance: cached };
}

function createJobRequest({ row, input, parameters, outputPath }: Run, inputPath: string): JobRequest {
  return {
    operation: row.kind,
    inputPath,
    ...(input?.sha256 && { inputSha256: input.sha256 }),
    filename: row.filename,
    ...(row.output_id !== null && { outputPath }),
    parameters,
  };
}

/** Runs the job of an operation, whose input is a scratch file meanwhile. */
async function runJobOf(
  run: Run,
  { blobs, runJob }: RunDependencies,
  { onProgress, countThreads, turn }: RunOptions,
): Promise<JobOutcome> {
  const { row, signal } = run;
  const inputPath = await waitForStorage(() => blobs.toScratch(row.input_id, signal), signal);
  try {
    return await runJob(createJobRequest(run, inputPath), {
      ...{ signal, onProgress, owner: row.owner },
      ...(turn && { turn }),
      threads: countThreads?.() ?? 1,
    });
  } finally {
    blobs.release(inputPath);
  }
}

async function reuseIdentical(run: Run, dependencies: RunDependencies): Promise<Completion | undefined> {
  const { resultCache } = dependencies;
  const { row, input, signal } = run;
  if (!resultCache || !input) return undefined;
  const cached = await waitForStorage(() => resultCache.find(row, input), signal);
  return cached && completeFromCache(run, cached, resultCache, dependencies);
}

/**
 * Runs a claimed operation in a kernel process, or reuses the output of an identical one, and stores the output. Leaves
 * no temporary files. Throws the abort reason of `signal`, or the error of the disk.
 */
export async function runOperation(
  row: ClaimedOperation,
  dependencies: RunDependencies,
  options: RunOptions,
): Promise<Completion> {
  const { signal, reserveOutput } = options;
  const { files, blobs } = dependencies;
  const parameters: JobParameters = JSON.parse(row.parameters); // written by the start of the operation
  const input = await waitForStorage(() => files.find(row.input_id, row.owner), signal);
  // It was deleted while the operation was started.
  if (input && input.deleted_at !== null)
    return failure('INPUT_EXPIRED', 'The input was deleted. Upload and import it again.');
  // A new file for each run, because a kernel process of a crashed service may still write for a moment.
  const run = { row, input, parameters, outputPath: blobs.scratchPath(), reserveOutput, signal };
  try {
    const reused = await reuseIdentical(run, dependencies);
    if (reused) return reused;
    const outcome = await runJobOf(run, dependencies, options);
    options.onJobEnd();
    return await completionForOutcome(run, outcome, dependencies);
  } finally {
    await blobs.discard(run.outputPath);
  }
}
