import { createProblemEntry } from '../http/problems.js';
import type { Logger } from '../logger.js';
import type { Operations } from '../store/operations.js';

/** What taking up the work of an earlier service needs. */
export interface RecoveryDependencies {
  operations: Operations;
  /** How often an operation may be running when the service dies. */
  attempts: number;
  now: () => number;
  logger: Logger;
}

/** Puts what an earlier service left running back into the queue; what used up its attempts ends failed. To be called before any worker. */
export async function recoverOperations({ operations, attempts, now, logger }: RecoveryDependencies): Promise<void> {
  for (const row of await operations.findInterrupted()) {
    if (row.attempts < attempts) {
      await operations.requeueInterrupted(row.id);
      logger.info({ operationId: row.id, operation: row.kind, attempts: row.attempts }, 'taken up again');
      continue;
    }
    const message = `the service died ${row.attempts} times while it ran this operation, so it is not tried again`;
    const error = JSON.stringify(createProblemEntry('ATTEMPTS_USED_UP', message));
    await operations.complete(row.id, { isSuccessful: false, error, report: null }, now());
    logger.warn({ operationId: row.id, operation: row.kind }, 'given up');
  }
}
