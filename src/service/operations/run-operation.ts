import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { BlobStore } from '../blobs/blob-store.js';
import { problemEntry } from '../http/problems.js';
import type { RunJob } from '../jobs/kernel-runner.js';
import type { JobOutcome, JobParameters } from '../jobs/messages.js';
import type { Retention } from '../retention.js';
import { isDiskFull, ServiceError, type ServiceErrorCode } from '../service-error.js';
import type { Ending } from '../store/operations.js';
import type { FileRow, OperationRow } from '../store/schema.js';
import { FAILURES } from './failures.js';
import { findKind } from './kinds.js';

/** What running an operation needs. */
export interface RunParts {
  blobs: BlobStore;
  retention: Retention;
  runJob: RunJob;
  now: () => number;
}

const failure = (code: ServiceErrorCode, message: string, report?: unknown): Ending => ({
  isSuccessful: false,
  error: JSON.stringify(problemEntry(code, message)),
  report: report === undefined ? null : JSON.stringify(report),
});

/** How an operation ends for which something was thrown: by the disk, or by a mistake of ours. */
export const endingOfError = (error: unknown): Ending => {
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
    await blobs.keep(row.output_id, temporaryId);
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

const endingOfOutcome = async (
  row: OperationRow,
  parameters: JobParameters,
  outcome: JobOutcome,
  temporaryId: string,
  parts: RunParts,
): Promise<Ending> => {
  if (outcome.type === 'failed') return failure(FAILURES[outcome.code], outcome.message, outcome.result?.report);
  const { report, analysis, verdict } = outcome.result;
  return {
    isSuccessful: true,
    output: await keepOutput(row, parameters, temporaryId, parts),
    result: JSON.stringify({ ...analysis, ...(verdict && { verdict }) }),
    report: report === undefined ? null : JSON.stringify(report),
  };
};

/**
 * Has a kernel process run a claimed operation and keeps its output; nothing temporary is left. Throws what `signal` was aborted with, or
 * what the disk refused.
 */
export const runOperation = async (
  row: OperationRow,
  parts: RunParts,
  signal: AbortSignal,
  onProgress: (progress: number) => void,
): Promise<Ending> => {
  const parameters: JobParameters = JSON.parse(row.parameters); // as the start wrote it
  // New with each run: a kernel process of a service that died may still write for a moment.
  const temporaryId = randomUUID();
  const job = {
    operation: row.kind,
    inputPath: parts.blobs.pathOf(row.input_id),
    filename: row.filename,
    ...(row.output_id !== null && { outputPath: parts.blobs.temporaryPath(temporaryId) }),
    parameters,
  };
  try {
    const outcome = await parts.runJob(job, { signal, onProgress });
    return await endingOfOutcome(row, parameters, outcome, temporaryId, parts);
  } finally {
    await parts.blobs.discard(temporaryId);
  }
};
