import type { BlobStore } from '../blobs/blob-store.js';
import type { Logger } from '../logger.js';
import { delay } from '../machine/delay.js';
import type { Completion, Operations } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';
import { completionForError } from './run-operation.js';

/** What noting the end of an operation needs. */
export interface RecordCompletionDependencies {
  operations: Operations;
  blobs: BlobStore;
  /** The pause before the store is asked again after it failed, in ms. */
  storeRetryMs: number;
  now: () => number;
  logger: Logger;
}

/** The ending to note when `completion` was refused with `error`: without an output, which may be what fills the disk. */
async function fallbackCompletion(
  error: unknown,
  row: OperationRow,
  completion: Completion,
  { operations, blobs }: RecordCompletionDependencies,
): Promise<Completion | undefined> {
  if (!completion.isSuccessful) return completion;
  // The refusal may have come after the commit: only the store knows.
  if ((await operations.find(row.id, row.owner))?.state !== 'running') return undefined;
  if (completion.output) await blobs.remove(completion.output.id);
  return completionForError(error);
}

/**
 * Completes an operation, and tries again as long as the store refuses, which it does while the disk is full: an operation that ended never
 * stays running. Answers false where `signal` came first.
 */
export async function recordCompletion(
  row: OperationRow,
  completion: Completion,
  dependencies: RecordCompletionDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { operations, storeRetryMs, now, logger } = dependencies;
  let next: Completion | undefined = completion;
  while (next) {
    try {
      await operations.complete(row.id, next, now());
      return true;
    } catch (error) {
      logger.error({ err: error, operationId: row.id }, 'the end of an operation could not be noted: tried again');
      next = await fallbackCompletion(error, row, next, dependencies);
      if (next) await delay(storeRetryMs, signal);
      if (signal.aborted) return false;
    }
  }
  return true;
}
