import { stat } from 'node:fs/promises';
import type { BlobStore } from '../blobs/blob-store.js';
import { problemEntry } from '../http/problems.js';
import type { RunJob } from '../jobs/kernel-runner.js';
import type { JobOutcome, JobParameters } from '../jobs/messages.js';
import type { Logger } from '../logger.js';
import type { Retention } from '../retention.js';
import { isDiskFull, ServiceError, type ServiceErrorCode } from '../service-error.js';
import type { Files } from '../store/files.js';
import type { Ending, Operations } from '../store/operations.js';
import type { FileRow, OperationRow } from '../store/schema.js';
import { FAILURES } from './failures.js';
import { findKind } from './kinds.js';

export interface WorkerParts {
  operations: Operations;
  files: Files;
  blobs: BlobStore;
  retention: Retention;
  runJob: RunJob;
  /** How many operations run at once. */
  workers: number;
  /** Called when an operation was completed. */
  onCompleted: () => void;
  now: () => number;
  logger: Logger;
}

/** Takes operations off the queue and has them run. */
export interface Worker {
  /** Looks into the queue: to be called whenever something was put there. */
  wake(): void;
  /** Ends the kernel processes, puts their operations back into the queue, and takes no more. */
  close(): Promise<void>;
}

// Status records need no finer progress, and each note of it is written to the disk.
const PROGRESS_MS = 500;

const failure = (code: ServiceErrorCode, message: string, report?: unknown): Ending => ({
  isSuccessful: false,
  error: JSON.stringify(problemEntry(code, message)),
  report: report === undefined ? null : JSON.stringify(report),
});

/** How an operation ends for which something was thrown: by the disk, or by a mistake of ours. */
const endingOf = (error: unknown): Ending => {
  if (error instanceof ServiceError) return failure(error.code, error.message);
  if (isDiskFull(error)) return failure('DISK_FULL', 'the disk of the service was full before the output was kept');
  return failure('INTERNAL', 'the service failed while it ran the operation: its log says why');
};

/** Notes the progress of an operation from time to time, never two notes at once. */
const createProgressNotes = ({ operations, now, logger }: WorkerParts, id: string) => {
  let notedAt = 0;
  let writing: Promise<void> = Promise.resolve();
  return {
    note(progress: number): void {
      if (now() - notedAt < PROGRESS_MS) return;
      notedAt = now();
      writing = writing
        .then(() => operations.setProgress(id, Math.min(1, Math.max(0, progress))))
        .catch((err: unknown) => logger.warn({ err, operationId: id }, 'progress could not be noted'));
    },
    written: (): Promise<void> => writing,
  };
};

/** Runs operations one after the other, as many at once as it was told; see `createOperations` for their states. */
export const createWorker = (parts: WorkerParts): Worker => {
  const { operations, blobs, retention, runJob, workers, onCompleted, now, logger } = parts;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  /** Takes over what the kernel process wrote; answers the row of it. Nothing of it counts before that row is committed. */
  const keepOutput = async (row: OperationRow, parameters: JobParameters): Promise<FileRow | undefined> => {
    const kind = findKind(row.kind);
    if (row.output_id === null || !kind?.output) return undefined;
    const giveFree = await retention.reserve((await stat(blobs.temporaryPath(row.output_id))).size);
    try {
      const size = await blobs.keep(row.output_id);
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
    } finally {
      giveFree();
    }
  };

  const endingOfOutcome = async (
    row: OperationRow,
    parameters: JobParameters,
    outcome: JobOutcome,
  ): Promise<Ending> => {
    if (outcome.type === 'failed') return failure(FAILURES[outcome.code], outcome.message, outcome.result?.report);
    const { report, analysis, verdict } = outcome.result;
    return {
      isSuccessful: true,
      output: await keepOutput(row, parameters),
      result: JSON.stringify({ ...analysis, ...(verdict && { verdict }) }),
      report: report === undefined ? null : JSON.stringify(report),
    };
  };

  const run = async (row: OperationRow): Promise<Ending> => {
    const parameters: JobParameters = JSON.parse(row.parameters);
    const progress = createProgressNotes(parts, row.id);
    const job = {
      operation: row.kind,
      inputPath: blobs.pathOf(row.input_id),
      filename: row.filename,
      ...(row.output_id !== null && { outputPath: blobs.temporaryPath(row.output_id) }),
      parameters,
    };
    const outcome = await runJob(job, { signal: stopping.signal, onProgress: progress.note });
    await progress.written();
    return endingOfOutcome(row, parameters, outcome);
  };

  /** Brings a claimed operation to its end, or back into the queue where the service stops. */
  const work = async (row: OperationRow): Promise<void> => {
    const log = logger.child({ operationId: row.id, operation: row.kind });
    let ending: Ending;
    try {
      ending = await run(row);
    } catch (error) {
      if (stopping.signal.aborted) {
        if (row.output_id !== null) await blobs.discard(row.output_id);
        await operations.requeue(row.id);
        log.info('the service stops: queued again');
        return;
      }
      ending = endingOf(error);
      log.error({ err: error }, 'the operation could not be run');
    }
    if (!ending.isSuccessful && row.output_id !== null) await blobs.discard(row.output_id);
    await operations.complete(row.id, ending, now());
    log.info({ isSuccessful: ending.isSuccessful, ms: now() - (row.started_at ?? now()) }, 'completed');
    onCompleted();
  };

  let isLooking = false;
  let isWanted = false;
  const look = async (): Promise<void> => {
    while (running.size < workers && !stopping.signal.aborted) {
      const row = await operations.claim(now());
      if (!row) return;
      const one: Promise<void> = work(row)
        .catch((err: unknown) =>
          logger.error({ err, operationId: row.id }, 'the end of an operation could not be noted'),
        )
        .finally(() => {
          running.delete(one);
          wake();
        });
      running.add(one);
    }
  };

  // Two looks at once could claim more than there are workers.
  const wake = (): void => {
    isWanted = true;
    if (isLooking) return;
    isLooking = true;
    const again = async (): Promise<void> => {
      while (isWanted) {
        isWanted = false;
        await look();
      }
    };
    again()
      .catch((err: unknown) => logger.error({ err }, 'the queue could not be read'))
      .finally(() => {
        isLooking = false;
      });
  };

  return {
    wake,
    async close() {
      stopping.abort(new Error('the service stops'));
      while (running.size > 0 || isLooking) {
        await Promise.all(running);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
};
