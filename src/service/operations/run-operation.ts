import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { BlobStore } from '../blobs/blob-store.js';
import type { StorageQuota } from '../blobs/storage-quota.js';
import type { JobRequest, RunJob } from '../kernel/kernel-runner.js';
import type { JobFailureCode, JobOutcome, JobParameters } from '../kernel/messages.js';
import { createProblemEntry } from '../problem-entries.js';
import type { RetentionClock } from '../retention-clock.js';
import { isDiskFull, ServiceError, type ServiceErrorCode } from '../service-error.js';
import type { Completion, Provenance } from '../store/operations.js';
import type { FileRow, OperationRow } from '../store/schema.js';
import { findKind } from './kinds.js';
import type { ResultCache } from './result-cache.js';

/** The dependencies of `runOperation`. */
export interface RunDependencies {
  blobs: BlobStore;
  storageQuota: StorageQuota;
  runJob: RunJob;
  /** Default: every operation runs. */
  resultCache?: ResultCache | undefined;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
}

/** Failure code of a kernel run → error code of the API. */
const ERROR_CODE_BY_FAILURE: Record<JobFailureCode, ServiceErrorCode> = {
  FORMAT_UNKNOWN: 'FILE_UNREADABLE',
  FILE_MALFORMED: 'FILE_UNREADABLE',
  FILE_EMPTY: 'FILE_EMPTY',
  TOO_LARGE: 'MODEL_TOO_LARGE',
  CHECKSUM_WRONG: 'MODEL_DAMAGED',
  REPAIR_INCOMPLETE: 'REPAIR_INCOMPLETE',
  NOT_SOLID: 'NOT_SOLID',
  NOTHING_LEFT: 'NOTHING_LEFT',
  SIZE_ZERO: 'SIZE_ZERO',
  INPUT_MISSING: 'INPUT_EXPIRED',
  DISK_FULL: 'DISK_FULL',
  OUT_OF_MEMORY: 'OUT_OF_MEMORY',
  DEADLINE_PASSED: 'DEADLINE_PASSED',
  KERNEL_CRASHED: 'KERNEL_CRASHED',
};

function failure(code: ServiceErrorCode, message: string, report?: unknown): Completion {
  return {
    isSuccessful: false,
    error: JSON.stringify(createProblemEntry(code, message)),
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

/**
 * Commits the output file of a kernel process. Returns its row: the output exists for users only once that row is
 * committed.
 */
async function storeOutput(
  row: OperationRow,
  parameters: JobParameters,
  temporaryId: string,
  { blobs, storageQuota, clock, now }: RunDependencies,
): Promise<FileRow | undefined> {
  const output = findKind(row.kind)?.output;
  if (row.output_id === null || !output) return undefined;
  const { size } = await stat(blobs.temporaryPath(temporaryId));
  const releaseReservation = await storageQuota.reserve(size);
  try {
    await blobs.commit(row.output_id, temporaryId);
  } finally {
    releaseReservation();
  }
  const retainedFrom = clock.now();
  return {
    id: row.output_id,
    owner: row.owner,
    kind: output.kind,
    filename: output.createFilename(row.filename, parameters),
    media_type: output.findMediaType(parameters),
    size,
    created_at: now(),
    retained_from: retainedFrom,
    read_at: retainedFrom,
    deleted_at: null,
  };
}

/** One run of an operation. `temporaryId` names its output file until it is committed. */
interface Run {
  row: OperationRow;
  parameters: JobParameters;
  temporaryId: string;
  signal: AbortSignal;
  onProgress: (progress: number) => void;
}

async function completionForOutcome(
  { row, parameters, temporaryId }: Run,
  outcome: JobOutcome,
  provenance: Provenance | undefined,
  dependencies: RunDependencies,
): Promise<Completion> {
  if (outcome.type === 'failed')
    return failure(ERROR_CODE_BY_FAILURE[outcome.code], outcome.message, outcome.result?.report);
  const { report, fields = {} } = outcome.result;
  return {
    isSuccessful: true,
    output: await storeOutput(row, parameters, temporaryId, dependencies),
    result: JSON.stringify(fields),
    report: report === undefined ? null : JSON.stringify(report),
    provenance,
  };
}

/**
 * Completes an operation with the output of the identical operation `cached`. Returns `undefined` if that output is
 * gone.
 */
async function completeFromCache(
  { row, parameters, temporaryId }: Run,
  cached: OperationRow,
  resultCache: ResultCache,
  dependencies: RunDependencies,
): Promise<Completion | undefined> {
  await dependencies.blobs.discard(temporaryId); // the partial output of a kernel process that was stopped
  if (!(await resultCache.reuseOutput(cached, temporaryId))) return undefined;
  const output = await storeOutput(row, parameters, temporaryId, dependencies);
  return { isSuccessful: true, output, result: cached.result ?? '{}', report: cached.report, provenance: cached };
}

function createJobRequest({ row, parameters, temporaryId }: Run, blobs: BlobStore): JobRequest {
  return {
    operation: row.kind,
    inputPath: blobs.pathOf(row.input_id),
    filename: row.filename,
    ...(row.output_id !== null && { outputPath: blobs.temporaryPath(temporaryId) }),
    parameters,
  };
}

/**
 * Runs the job in a kernel process, but stops it when the hash of the input shows a cache hit. Returns the cached
 * operation then.
 */
async function runUnlessCached(
  run: Run,
  resultCache: ResultCache,
  dependencies: RunDependencies,
): Promise<Completion | OperationRow> {
  const cacheHit = new AbortController();
  let hash: string | null = null;
  let lookup: Promise<OperationRow | undefined> | undefined;
  const onInputHash = (sha256: string): void => {
    hash = sha256;
    lookup = resultCache.find(run.row, { hash });
    lookup.then(
      (cached) => cached && cacheHit.abort(new Error('Cache hit.')),
      () => undefined, // rethrown by `await lookup` below
    );
  };
  try {
    const signal = AbortSignal.any([run.signal, cacheHit.signal]);
    const outcome = await dependencies.runJob(createJobRequest(run, dependencies.blobs), {
      signal,
      onProgress: run.onProgress,
      onInputHash,
    });
    return await completionForOutcome(
      run,
      outcome,
      { input_hash: hash, kernel: resultCache.kernelVersion },
      dependencies,
    );
  } catch (error) {
    const cached = cacheHit.signal.aborted && !run.signal.aborted ? await lookup : undefined;
    if (!cached) throw error;
    return cached;
  }
}

async function runWithCache(
  run: Run,
  resultCache: ResultCache,
  dependencies: RunDependencies,
): Promise<Completion | undefined> {
  const cached = await resultCache.find(run.row, { id: run.row.input_id });
  const completion = cached && (await completeFromCache(run, cached, resultCache, dependencies));
  if (completion) return completion;
  const outcome = await runUnlessCached(run, resultCache, dependencies);
  return 'isSuccessful' in outcome ? outcome : completeFromCache(run, outcome, resultCache, dependencies);
}

/**
 * Runs a claimed operation in a kernel process, or reuses the output of an identical one, and stores the output. Leaves
 * no temporary files. Throws the abort reason of `signal`, or the error of the disk.
 */
export async function runOperation(
  row: OperationRow,
  dependencies: RunDependencies,
  signal: AbortSignal,
  onProgress: (progress: number) => void,
): Promise<Completion> {
  const parameters: JobParameters = JSON.parse(row.parameters); // written by the start of the operation
  // A new id for each run, because a kernel process of a crashed service may still write for a moment.
  const run = { row, parameters, temporaryId: randomUUID(), signal, onProgress };
  try {
    const completion = dependencies.resultCache && (await runWithCache(run, dependencies.resultCache, dependencies));
    if (completion) return completion;
    const outcome = await dependencies.runJob(createJobRequest(run, dependencies.blobs), { signal, onProgress });
    return await completionForOutcome(run, outcome, undefined, dependencies);
  } finally {
    await dependencies.blobs.discard(run.temporaryId);
  }
}
