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
 * Returns the completion to record after writing `completion` failed with `error`: a failure without output, because
 * the output may be what fills the disk. Returns `undefined` if `completion` was committed nevertheless.
 */
async function fallbackCompletion(
  error: unknown,
  row: OperationRow,
  completion: Completion,
  { operations, blobs }: RecordCompletionDependencies,
): Promise<Completion | undefined> {
  if (!completion.isSuccessful) return completion;
  // The error may have occurred after the commit: read the state back.
  if ((await operations.find(row.id, row.owner))?.state !== 'running') return undefined;
  if (completion.output) await blobs.remove([completion.output.id]);
  return completionForError(error);
}

/**
 * Records the completion of an operation, and retries every `storeRetryMs` while the store fails, for example on a full
 * disk. This prevents operations that stay in the state running. Resolves with false if `signal` is aborted first.
 */
export async function recordCompletion(
  row: OperationRow,
  completion: Completion,
  dependencies: RecordCompletionDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { operations, storeRetryMs, clock, now, logger } = dependencies;
  let next: Completion | undefined = completion;
  while (next) {
    try {
      await operations.complete(row.id, next, now(), clock.now());
      return true;
    } catch (error) {
      logger.error({ err: error, operationId: row.id }, 'Could not record the completion of an operation: retrying');
      next = await fallbackCompletion(error, row, next, dependencies);
      if (next) await delay(storeRetryMs, signal);
      if (signal.aborted) return false;
    }
  }
  return true;
}
