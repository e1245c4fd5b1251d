import type { BlobStore } from '../blobs/blob-store.js';
import type { Logger } from '../logger.js';
import { delay } from '../machine/pause.js';
import type { Completion, Operations } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';
import { endingOfError } from './run-operation.js';

/** What noting the end of an operation needs. */
export interface NoteParts {
  operations: Operations;
  blobs: BlobStore;
  /** The pause before the store is asked again after it failed, in ms. */
  storeRetryMs: number;
  now: () => number;
  logger: Logger;
}

/** The ending to note when `ending` was refused with `error`: without an output, which may be what fills the disk. */
const endingAfter = async (
  error: unknown,
  row: OperationRow,
  ending: Completion,
  { operations, blobs }: NoteParts,
): Promise<Completion | undefined> => {
  if (!ending.isSuccessful) return ending;
  // The refusal may have come after the commit: only the store knows.
  if ((await operations.find(row.id, row.owner))?.state !== 'running') return undefined;
  if (ending.output) await blobs.remove(ending.output.id);
  return endingOfError(error);
};

/**
 * Completes an operation, and tries again as long as the store refuses, which it does while the disk is full: an operation that ended never
 * stays running. Answers false where `signal` came first.
 */
export const noteEnding = async (
  row: OperationRow,
  ending: Completion,
  parts: NoteParts,
  signal: AbortSignal,
): Promise<boolean> => {
  const { operations, storeRetryMs, now, logger } = parts;
  let next: Completion | undefined = ending;
  while (next) {
    try {
      await operations.complete(row.id, next, now());
      return true;
    } catch (error) {
      logger.error({ err: error, operationId: row.id }, 'the end of an operation could not be noted: tried again');
      next = await endingAfter(error, row, next, parts);
      if (next) await delay(storeRetryMs, signal);
      if (signal.aborted) return false;
    }
  }
  return true;
};
