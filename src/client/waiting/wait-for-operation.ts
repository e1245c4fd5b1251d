import { resultSpec, statusSpec } from '../calls/operations.js';
import { readPositive } from '../client-limits.js';
import type { CompletedOperation, WaitOptions } from '../types.js';
import { CompletionPoller, type WaitDependencies } from './completion-poller.js';

/**
 * Polls an operation until it is completed and its result is read. A `TypeError` for a timeout that is no number above 0, `INPUT_INVALID`
 * for what is no id or no name of an operation: now, not after the wait.
 */
export async function waitForOperation(
  dependencies: WaitDependencies,
  operationId: string,
  operation: string | undefined,
  options: WaitOptions,
): Promise<CompletedOperation> {
  statusSpec(operationId, dependencies.limits);
  for (const name of [operation, options.defaultOperation])
    if (name !== undefined) resultSpec(operationId, name, dependencies.limits);
  if (options.timeoutMs !== undefined) readPositive(options.timeoutMs, 'timeoutMs');
  return new Promise((resolve, reject) => {
    new CompletionPoller(dependencies, operationId, operation, options, { resolve, reject }).begin();
  });
}
