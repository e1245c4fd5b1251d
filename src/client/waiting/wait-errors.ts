import type { OperationStatus } from '../../api/index.js';
import { ClientError } from '../client-error.js';
import { truncate } from '../replies/read-error-reply.js';

/** The error number of a cancelled operation. */
const CANCELLED = 42217;

/** Returns whether an operation with this status was cancelled. */
export function isCancelledStatus({ error }: OperationStatus): boolean {
  return error?.code === CANCELLED;
}

/** Returns the error for the status of an operation that failed or was cancelled. `name`: its type and id. */
export function createFailedError(name: string, status: OperationStatus): ClientError {
  const { error, report } = status;
  const isCancelled = isCancelledStatus(status);
  if (isCancelled) return new ClientError('OPERATION_FAILED', `The ${name} was cancelled.`, { isCancelled });
  const reason = error ? `: ${truncate(error.message)}` : '; the service gave no reason';
  const message = `The ${name} failed${reason}.`.replace(/([.!?…])\.$/, '$1');
  return new ClientError('OPERATION_FAILED', message, { report });
}

/** Returns the error for an operation whose type neither the caller nor the service has given. */
export function createUnknownTypeError(operationId: string): ClientError {
  const message = `Could not determine the type of operation ${operationId}: its status does not contain it.`;
  return new ClientError('OPERATION_UNKNOWN', message);
}
