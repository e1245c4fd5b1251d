import type { OperationStatus } from '../../api/index.js';
import { resultSpec } from '../calls/operations.js';
import { ClientError } from '../client-error.js';
import { followSignals } from '../follow-signals.js';
import { quote } from '../replies/read-refusal.js';
import type { OperationResult, WaitOptions } from '../types.js';
import { CompletionJob, type WaitParts } from './completion-job.js';

/** Looks at an operation until it is completed, then reads its result. */
export async function waitForOperation(
  parts: WaitParts,
  operationId: string,
  operation: string,
  options: WaitOptions,
): Promise<{ status: OperationStatus; result: OperationResult }> {
  // What is no id or no name of an operation is refused now, not after the wait.
  resultSpec(operationId, operation, parts.limits);
  const status = await completion(parts, operationId, operation, options);
  if (!status.isSuccessful) {
    const reason = status.error ? `: ${quote(status.error.message)}` : ', and the service gave no reason';
    const message = `The ${operation} ${operationId} failed${reason}.`.replace(/([.!?…])\.$/, '$1');
    throw new ClientError('OPERATION_FAILED', message, { report: status.report });
  }
  const { signal, release } = followSignals([options.signal, parts.closing]);
  try {
    return { status, result: await resultOf(parts, resultSpec(operationId, operation, parts.limits), signal) };
  } finally {
    release();
  }
}

/** The first status record that says "completed". */
function completion(
  parts: WaitParts,
  operationId: string,
  operation: string,
  options: WaitOptions,
): Promise<OperationStatus> {
  return new Promise((resolve, reject) => {
    new CompletionJob(parts, operationId, operation, options, { resolve, reject }).begin();
  });
}

/** The result; for a while after the completion a service may not have it everywhere yet. */
async function resultOf(
  { session, limits, clock }: WaitParts,
  call: ReturnType<typeof resultSpec>,
  signal: AbortSignal,
): Promise<OperationResult> {
  const until = clock.now() + limits.lagToleranceMs;
  for (;;) {
    try {
      return await session.call(call, signal);
    } catch (error) {
      const isLag = error instanceof ClientError && (error.statusCode === 404 || error.statusCode === 409);
      const pauseMs = 2 * limits.pollMinMs;
      if (!isLag || clock.now() + pauseMs > until) throw error;
      await clock.sleep(pauseMs, signal);
    }
  }
}
