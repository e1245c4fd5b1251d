import type { BlobStore } from '../blobs/blob-store.js';
import type { Logger } from '../logger.js';
import { delay } from '../machine/delay.js';
import type { RetentionClock } from '../retention-clock.js';
import type { Completion, Operations } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';
import { completionForError } from './run-operation.js';

/** The dependencies of `recordCompletion`. */
export interface RecordCompletionDependencies {
  operations: Operations;
  blobs: BlobStore;
  /** The delay before a failed write is retried, in ms. */
  storeRetryMs: number;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
  logger: Logger;
}

/**
 * `recorded`: this call completed the operation. `completed`: it was completed before, for example as cancelled. `aborted`:
 * it is not completed, because of the signal.
 */
export type RecordOutcome = 'recorded' | 'completed' | 'aborted';

/** The outcome of one attempt, or the error of a store that failed before its commit. */
type Attempt = Exclude<RecordOutcome, 'aborted'> | { error: unknown };

/** Deletes the stored output of a completion that did not take effect. */
async function discardOutput(completion: Completion, blobs: BlobStore): Promise<void> {
  if (completion.isSuccessful && completion.output) await blobs.remove([completion.output.id]);
}

/** Tries to record a completion. Deletes its output, the record first, if the operation has not succeeded then. */
async function attemptToRecord(
  { id, owner }: OperationRow,
  completion: Completion,
  { operations, blobs, clock, now, logger }: RecordCompletionDependencies,
): Promise<Attempt> {
  let attempt: Attempt = 'completed';
  try {
    if (await operations.complete(id, completion, now(), clock.now())) return 'recorded';
  } catch (error) {
    logger.error({ err: error, operationId: id }, 'Could not record the completion of an operation: retrying');
    attempt = { error };
  }
  // The error may have occurred after the commit: read the state back.
  const row = await operations.find(id, owner);
  if (row?.is_successful !== 1) await discardOutput(completion, blobs);
  return row?.state === 'running' ? attempt : 'completed';
}

/**
 * Records the completion of an operation, and retries every `storeRetryMs` while the store fails, for example on a full
 * disk. This prevents operations that stay in the state running. After an error it records a failure without output,
 * because the output may be what fills the disk. If the service crashes before it has deleted an output that does not
 * count, the next start deletes it.
 */
export async function recordCompletion(
  row: OperationRow,
  completion: Completion,
  dependencies: RecordCompletionDependencies,
  signal: AbortSignal,
): Promise<RecordOutcome> {
  let next = completion;
  for (;;) {
    const attempt = await attemptToRecord(row, next, dependencies);
    if (typeof attempt === 'string') return attempt;
    if (next.isSuccessful) next = completionForError(attempt.error);
    await delay(dependencies.storeRetryMs, signal);
    if (signal.aborted) return 'aborted';
  }
}
