import { resultSpec, statusSpec } from '../calls/operations.js';
import { readPositive } from '../client-limits.js';
import type { CompletedOperation, WaitOptions } from '../types.js';
import { CompletionJob, type WaitParts } from './completion-job.js';

/**
 * Polls an operation until it is completed and its result is read. A `TypeError` for a timeout that is no number above 0, `INPUT_INVALID`
 * for what is no id or no name of an operation: now, not after the wait.
 */
export async function waitForOperation(
  parts: WaitParts,
  operationId: string,
  operation: string | undefined,
  options: WaitOptions,
): Promise<CompletedOperation> {
  statusSpec(operationId, parts.limits);
  for (const name of [operation, options.defaultOperation])
    if (name !== undefined) resultSpec(operationId, name, parts.limits);
  if (options.timeoutMs !== undefined) readPositive(options.timeoutMs, 'timeoutMs');
  return new Promise((resolve, reject) => {
    new CompletionJob(parts, operationId, operation, options, { resolve, reject }).begin();
  });
}
