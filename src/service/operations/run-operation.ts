import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { BlobStore } from '../blobs/blob-store.js';
import { createProblemEntry } from '../http/problems.js';
import type { JobRequest, RunJob } from '../jobs/kernel-runner.js';
import type { JobOutcome, JobParameters } from '../jobs/messages.js';
import type { StorageQuota } from '../retention.js';
import { isDiskFull, ServiceError, type ServiceErrorCode } from '../service-error.js';
import type { Completion, Provenance } from '../store/operations.js';
import type { FileRow, OperationRow } from '../store/schema.js';
import { FAILURES } from './failures.js';
import { findKind } from './kinds.js';
import type { Recall } from './recall.js';

/** What running an operation needs. */
export interface RunParts {
  blobs: BlobStore;
  retention: StorageQuota;
  runJob: RunJob;
  /** Finds what was made before. Default: every operation is run. */
  recall?: Recall | undefined;
  now: () => number;
}

const failure = (code: ServiceErrorCode, message: string, report?: unknown): Completion => ({
  isSuccessful: false,
  error: JSON.stringify(createProblemEntry(code, message)),
  report: report === undefined ? null : JSON.stringify(report),
});

/** How an operation ends for which something was thrown: by the disk, or by a mistake of ours. */
export const endingOfError = (error: unknown): Completion => {
  if (error instanceof ServiceError) return failure(error.code, error.message);
  if (isDiskFull(error)) return failure('DISK_FULL', 'the disk of the service was full before the output was kept');
  return failure('INTERNAL', 'the service failed while it ran the operation: its log says why');
};

/** Takes over what the kernel process wrote; answers the row for it. Nothing of it counts before that row is committed. */
const keepOutput = async (
  row: OperationRow,
  parameters: JobParameters,
  temporaryId: string,
  { blobs, retention, now }: RunParts,
): Promise<FileRow | undefined> => {
  const kind = findKind(row.kind);
  if (row.output_id === null || !kind?.output) return undefined;
  const { size } = await stat(blobs.temporaryPath(temporaryId));
  const giveFree = await retention.reserve(size);
  try {
    await blobs.commit(row.output_id, temporaryId);
  } finally {
    giveFree();
  }
  const at = now();
  return {
    id: row.output_id,
    owner: row.owner,
    kind: kind.output,
    filename: kind.outputName(row.filename, parameters),
    media_type: kind.outputMediaType(parameters),
    size,
    created_at: at,
    read_at: at,
    deleted_at: null,
  };
};

/** What an operation was told, and where its output goes for now. */
interface Run {
  row: OperationRow;
  parameters: JobParameters;
  temporaryId: string;
  signal: AbortSignal;
  onProgress: (progress: number) => void;
}

const endingOfOutcome = async (
  { row, parameters, temporaryId }: Run,
  outcome: JobOutcome,
  work: Provenance | undefined,
  parts: RunParts,
): Promise<Completion> => {
  if (outcome.type === 'failed') return failure(FAILURES[outcome.code], outcome.message, outcome.result?.report);
  const { report, analysis, verdict, walls } = outcome.result;
  return {
    isSuccessful: true,
    output: await keepOutput(row, parameters, temporaryId, parts),
    result: JSON.stringify({ ...analysis, ...walls, ...(verdict && { verdict }) }),
    report: report === undefined ? null : JSON.stringify(report),
    work,
  };
};

/** The ending of an operation for which another one did the same work before; `undefined` where its output is gone. */
const endingOfSame = async (
  { row, parameters, temporaryId }: Run,
  same: OperationRow,
  recall: Recall,
  parts: RunParts,
): Promise<Completion | undefined> => {
  await parts.blobs.discard(temporaryId); // what a kernel process wrote before it was ended
  if (!(await recall.take(same, temporaryId))) return undefined;
  const output = await keepOutput(row, parameters, temporaryId, parts);
  return { isSuccessful: true, output, result: same.result ?? '{}', report: same.report, work: same };
};

const jobOf = ({ row, parameters, temporaryId }: Run, blobs: BlobStore): JobRequest => ({
  operation: row.kind,
  inputPath: blobs.pathOf(row.input_id),
  filename: row.filename,
  ...(row.output_id !== null && { outputPath: blobs.temporaryPath(temporaryId) }),
  parameters,
});

/** Has a kernel process do the work, but ends it when it turns out by the bytes of the input that the work was done before. */
const runUnlessKnown = async (run: Run, recall: Recall, parts: RunParts): Promise<Completion | OperationRow> => {
  const known = new AbortController();
  let hash: string | null = null;
  let looking: Promise<OperationRow | undefined> | undefined;
  const onInput = (sha256: string): void => {
    hash = sha256;
    looking = recall.find(run.row, { hash });
    looking.then(
      (same) => same && known.abort(new Error('the work was done before')),
      () => undefined, // told below
    );
  };
  try {
    const signal = AbortSignal.any([run.signal, known.signal]);
    const outcome = await parts.runJob(jobOf(run, parts.blobs), { signal, onProgress: run.onProgress, onInput });
    return await endingOfOutcome(run, outcome, { input_hash: hash, kernel: recall.kernel }, parts);
  } catch (error) {
    const same = known.signal.aborted && !run.signal.aborted ? await looking : undefined;
    if (!same) throw error;
    return same;
  }
};

const runWithRecall = async (run: Run, recall: Recall, parts: RunParts): Promise<Completion | undefined> => {
  const before = await recall.find(run.row, { id: run.row.input_id });
  const ending = before && (await endingOfSame(run, before, recall, parts));
  if (ending) return ending;
  const found = await runUnlessKnown(run, recall, parts);
  return 'isSuccessful' in found ? found : endingOfSame(run, found, recall, parts);
};

/**
 * Has a kernel process run a claimed operation, unless the same work was done before, and keeps its output; nothing temporary is left. Throws
 * what `signal` was aborted with, or what the disk refused.
 */
export const runOperation = async (
  row: OperationRow,
  parts: RunParts,
  signal: AbortSignal,
  onProgress: (progress: number) => void,
): Promise<Completion> => {
  const parameters: JobParameters = JSON.parse(row.parameters); // as the start wrote it
  // New with each run: a kernel process of a service that died may still write for a moment.
  const run = { row, parameters, temporaryId: randomUUID(), signal, onProgress };
  try {
    const recalled = parts.recall && (await runWithRecall(run, parts.recall, parts));
    if (recalled) return recalled;
    const outcome = await parts.runJob(jobOf(run, parts.blobs), { signal, onProgress });
    return await endingOfOutcome(run, outcome, undefined, parts);
  } finally {
    await parts.blobs.discard(run.temporaryId);
  }
};
