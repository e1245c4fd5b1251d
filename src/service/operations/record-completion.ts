import type { BlobStore } from '../blobs/blob-store.js';
import type { Logger } from '../logger.js';
import { delay } from '../machine/delay.js';
import type { RetentionClock } from '../retention-clock.js';
import { ServiceError, type ServiceErrorCode } from '../service-error.js';
import type { ClaimedOperation } from '../store/job-queue.js';
import type { Completion, Operations } from '../store/operations.js';
import type { FileRow } from '../store/schema.js';
import { completionForError } from './run-operation.js';

/** The dependencies of `recordCompletion`. */
export interface RecordCompletionDependencies {
  operations: Operations;
  blobs: BlobStore;
  /** The delay before a failed write is retried, in ms. */
  storeRetryMs: number;
  /** Called if this call records a success, and with it the row of the output. */
  onSucceeded?: () => void;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
  logger: Logger;
}

/**
 * `recorded`: this call completed the operation, or it has succeeded. `completed`: it was completed before, for example as
 * cancelled, or another claim followed. `aborted`: it is not completed, because of the signal. `output-lost`: it is not
 * completed, because the object of its output was deleted meanwhile. It is to be run again.
 */
export type RecordOutcome = 'recorded' | 'completed' | 'aborted' | 'output-lost';

function hasCode(error: unknown, code: ServiceErrorCode): boolean {
  return error instanceof ServiceError && error.code === code;
}

/** Deletes an output. Does not throw: the next start deletes what is left of it. */
async function discardOutput(
  { id }: FileRow,
  { blobs, logger }: Pick<RecordCompletionDependencies, 'blobs' | 'logger'>,
): Promise<void> {
  const onError = (err: unknown): void =>
    logger.warn({ err, fileId: id }, 'Could not delete an output: the next start deletes it');
  await blobs.remove([id]).catch(onError);
}

/**
 * Tries to record a completion. Deletes `output`, the record first, if the operation has not succeeded then. Throws the
 * error of a store that failed before its commit, or whose state could not be read back.
 */
async function attemptToRecord(
  { id, owner, lease = null }: ClaimedOperation,
  completion: Completion,
  output: FileRow | undefined,
  dependencies: RecordCompletionDependencies,
): Promise<Exclude<RecordOutcome, 'aborted'>> {
  const { operations, onSucceeded, clock, now, logger } = dependencies;
  let failure: { error: unknown } | undefined;
  const isRecorded = await operations.complete(id, completion, now(), clock.now(), lease).catch((error: unknown) => {
    failure = { error };
    return false;
  });
  if (isRecorded && completion.isSuccessful) {
    onSucceeded?.();
    return 'recorded';
  }
  // An error may have occurred after the commit: read the state back.
  const row = isRecorded ? undefined : await operations.find(id, owner);
  const isOwn = (row?.lease ?? null) === lease; // otherwise another claim followed
  const hasSucceeded = isOwn && row?.is_successful === 1;
  const isRunning = isOwn && row?.state === 'running';
  const isKept = isRunning && hasCode(failure?.error, 'DATABASE_UNAVAILABLE'); // the next attempt needs it
  if (output && !hasSucceeded && !isKept) await discardOutput(output, dependencies);
  if (failure && isRunning) throw failure.error;
  if (failure) logger.warn({ err: failure.error, operationId: id }, 'The store failed, but the operation is completed');
  return isRecorded || hasSucceeded ? 'recorded' : 'completed';
}

/**
 * Records the completion of an operation, and retries every `storeRetryMs` while the store fails, for example on a full
 * disk. This prevents operations that stay in the state running. After an error it records a failure without output,
 * because the output may be what fills the disk; not while a database of many processes is away. If the service crashes before it has deleted an output that does not
 * count, the next start deletes it.
 */
export async function recordCompletion(
  row: ClaimedOperation,
  completion: Completion,
  dependencies: RecordCompletionDependencies,
  signal: AbortSignal,
): Promise<RecordOutcome> {
  const { storeRetryMs, logger } = dependencies;
  const output = completion.isSuccessful ? completion.output : undefined;
  let next = completion;
  for (;;) {
    try {
      return await attemptToRecord(row, next, output, dependencies);
    } catch (err) {
      if (hasCode(err, 'STORAGE_UNAVAILABLE')) return 'output-lost';
      logger.error({ err, operationId: row.id }, 'Could not record the completion of an operation: retrying');
      if (next.isSuccessful && !hasCode(err, 'DATABASE_UNAVAILABLE')) next = completionForError(err);
    }
    await delay(storeRetryMs, signal);
    if (signal.aborted) return 'aborted';
  }
}
