import type { Logger } from '../logger.js';
import { createProblemEntry } from '../problem-entries.js';
import type { RetentionClock } from '../retention-clock.js';
import type { LocalJobQueue } from '../store/job-queue.js';
import type { Completion, Operations } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';

/** The dependencies of `recoverOperations`. */
export interface RecoveryDependencies {
  operations: Operations;
  queue: Pick<LocalJobQueue, 'requeueInterrupted'>;
  /** An operation that was running in this many crashes of the service is failed. */
  maxAttempts: number;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
  logger: Logger;
}

/** Returns the completion of an operation that was running in `count` crashes of the service. */
export function attemptsUsedUp(count: number): Completion {
  const message = `The service crashed ${count} times while running this operation. It is not retried.`;
  return { isSuccessful: false, error: JSON.stringify(createProblemEntry('ATTEMPTS_USED_UP', message)), report: null };
}

/**
 * Requeues the operations that were running when an earlier service crashed, and fails those that have used up their
 * attempts. Removes each from `interrupted`, so that a call that failed can be repeated, even while a worker runs.
 * `interrupted` has to be read before any worker starts.
 */
export async function recoverOperations(
  interrupted: OperationRow[],
  { operations, queue, maxAttempts, clock, now, logger }: RecoveryDependencies,
): Promise<void> {
  for (let row = interrupted[0]; row; interrupted.shift(), row = interrupted[0]) {
    if (row.attempts < maxAttempts) {
      await queue.requeueInterrupted(row.id);
      logger.info({ operationId: row.id, operation: row.kind, attempts: row.attempts }, 'Requeued');
      continue;
    }
    await operations.complete(row.id, attemptsUsedUp(row.attempts), now(), clock.now());
    logger.warn({ operationId: row.id, operation: row.kind }, 'Given up');
  }
}
