import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { BlobStore } from '../blobs/blob-store.js';
import type { StorageQuota } from '../blobs/storage-quota.js';
import { createProblemEntry } from '../http/problems.js';
import type { JobRequest, RunJob } from '../kernel/kernel-runner.js';
import type { JobOutcome, JobParameters } from '../kernel/messages.js';
import { isDiskFull, ServiceError, type ServiceErrorCode } from '../service-error.js';
import type { Completion, Provenance } from '../store/operations.js';
import type { FileRow, OperationRow } from '../store/schema.js';
import { ERROR_CODE_BY_FAILURE } from './failures.js';
import { findKind } from './kinds.js';
import type { ResultCache } from './result-cache.js';

/** What running an operation needs. */
export interface RunDependencies {
  blobs: BlobStore;
  retention: StorageQuota;
  runJob: RunJob;
  /** Finds what was made before. Default: every operation is run. */
  recall?: ResultCache | undefined;
  now: () => number;
}

function failure(code: ServiceErrorCode, message: string, report?: unknown): Completion {
  return {
    isSuccessful: false,
    error: JSON.stringify(createProblemEntry(code, message)),
    report: report === undefined ? null : JSON.stringify(report),
  };
}

/** How an operation ends for which something was thrown: by the disk, or by a mistake of ours. */
export function completionForError(error: unknown): Completion {
  if (error instanceof ServiceError) return failure(error.code, error.message);
  if (isDiskFull(error)) return failure('DISK_FULL', 'the disk of the service was full before the output was kept');
  return failure('INTERNAL', 'the service failed while it ran the operation: its log says why');
}

/** Takes over what the kernel process wrote; answers the row for it. Nothing of it counts before that row is committed. */
async function storeOutput(
  row: OperationRow,
  parameters: JobParameters,
  temporaryId: string,
  { blobs, retention, now }: RunDependencies,
): Promise<FileRow | undefined> {
  const kind = findKind(row.kind);
  if (row.output_id === null || !kind?.output) return undefined;
  const { size } = await stat(blobs.temporaryPath(temporaryId));
  const releaseReservation = await retention.reserve(size);
  try {
    await blobs.commit(row.output_id, temporaryId);
  } finally {
    releaseReservation();
  }
  const offset = now();
  return {
    id: row.output_id,
    owner: row.owner,
    kind: kind.output,
    filename: kind.outputName(row.filename, parameters),
    media_type: kind.outputMediaType(parameters),
    size,
    created_at: offset,
    read_at: offset,
    deleted_at: null,
  };
}

/** What an operation was told, and where its output goes for now. */
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
  work: Provenance | undefined,
  dependencies: RunDependencies,
): Promise<Completion> {
  if (outcome.type === 'failed')
    return failure(ERROR_CODE_BY_FAILURE[outcome.code], outcome.message, outcome.result?.report);
  const { report, analysis, verdict, walls } = outcome.result;
  return {
    isSuccessful: true,
    output: await storeOutput(row, parameters, temporaryId, dependencies),
    result: JSON.stringify({ ...analysis, ...walls, ...(verdict && { verdict }) }),
    report: report === undefined ? null : JSON.stringify(report),
    work,
  };
}

/** The ending of an operation for which another one did the same work before; `undefined` where its output is gone. */
async function completeFromCache(
  { row, parameters, temporaryId }: Run,
  same: OperationRow,
  recall: ResultCache,
  dependencies: RunDependencies,
): Promise<Completion | undefined> {
  await dependencies.blobs.discard(temporaryId); // what a kernel process wrote before it was ended
  if (!(await recall.reuseOutput(same, temporaryId))) return undefined;
  const output = await storeOutput(row, parameters, temporaryId, dependencies);
  return { isSuccessful: true, output, result: same.result ?? '{}', report: same.report, work: same };
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

/** Has a kernel process do the work, but ends it when it turns out by the bytes of the input that the work was done before. */
async function runUnlessCached(
  run: Run,
  recall: ResultCache,
  dependencies: RunDependencies,
): Promise<Completion | OperationRow> {
  const known = new AbortController();
  let hash: string | null = null;
  let lookup: Promise<OperationRow | undefined> | undefined;
  const onInputHash = (sha256: string): void => {
    hash = sha256;
    lookup = recall.find(run.row, { hash });
    lookup.then(
      (same) => same && known.abort(new Error('the work was done before')),
      () => undefined, // told below
    );
  };
  try {
    const signal = AbortSignal.any([run.signal, known.signal]);
    const outcome = await dependencies.runJob(createJobRequest(run, dependencies.blobs), {
      signal,
      onProgress: run.onProgress,
      onInputHash,
    });
    return await completionForOutcome(run, outcome, { input_hash: hash, kernel: recall.kernelVersion }, dependencies);
  } catch (error) {
    const same = known.signal.aborted && !run.signal.aborted ? await lookup : undefined;
    if (!same) throw error;
    return same;
  }
}

async function runWithCache(
  run: Run,
  recall: ResultCache,
  dependencies: RunDependencies,
): Promise<Completion | undefined> {
  const before = await recall.find(run.row, { id: run.row.input_id });
  const ending = before && (await completeFromCache(run, before, recall, dependencies));
  if (ending) return ending;
  const outcome = await runUnlessCached(run, recall, dependencies);
  return 'isSuccessful' in outcome ? outcome : completeFromCache(run, outcome, recall, dependencies);
}

/**
 * Has a kernel process run a claimed operation, unless the same work was done before, and keeps its output; nothing temporary is left. Throws
 * what `signal` was aborted with, or what the disk refused.
 */
export async function runOperation(
  row: OperationRow,
  dependencies: RunDependencies,
  signal: AbortSignal,
  onProgress: (progress: number) => void,
): Promise<Completion> {
  const parameters: JobParameters = JSON.parse(row.parameters); // as the start wrote it
  // New with each run: a kernel process of a service that died may still write for a moment.
  const run = { row, parameters, temporaryId: randomUUID(), signal, onProgress };
  try {
    const recalled = dependencies.recall && (await runWithCache(run, dependencies.recall, dependencies));
    if (recalled) return recalled;
    const outcome = await dependencies.runJob(createJobRequest(run, dependencies.blobs), { signal, onProgress });
    return await completionForOutcome(run, outcome, undefined, dependencies);
  } finally {
    await dependencies.blobs.discard(run.temporaryId);
  }
}
