import { createResultSpec, createStatusSpec } from '../calls/operations.js';
import { readPositive } from '../client-limits.js';
import type { CompletedOperation, WaitOptions } from '../types.js';
import { CompletionPoller, type WaitDependencies } from './completion-poller.js';

/**
 * Polls an operation until it is completed, then reads its result. Before the first request, throws a `TypeError` for a
 * timeout that is not a positive number, and `INPUT_INVALID` for an invalid id or operation name.
 */
export async function waitForOperation(
  dependencies: WaitDependencies,
  operationId: string,
  operation: string | undefined,
  options: WaitOptions,
): Promise<CompletedOperation> {
  // These calls are created only to validate the id and the names.
  createStatusSpec(operationId, dependencies.limits);
  for (const name of [operation, options.defaultOperation])
    if (name !== undefined) createResultSpec(operationId, name, dependencies.limits);
  if (options.timeoutMs !== undefined) readPositive(options.timeoutMs, 'timeoutMs');
  return new Promise((resolve, reject) => {
    new CompletionPoller(dependencies, operationId, operation, options, { resolve, reject }).start();
  });
}
