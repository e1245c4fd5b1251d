import type { OperationStatus } from '../../api/index.js';
import { resultSpec } from '../calls/operations.js';
import { ClientError } from '../client-error.js';
import { abortedError } from '../clock.js';
import { quote } from '../replies/read-refusal.js';
import type { OperationResult, WaitOptions } from '../types.js';
import { CompletionJob, type Ending, type WaitParts } from './completion-job.js';

/** Looks at an operation until it is completed, then reads its result. */
export async function waitForOperation(
  parts: WaitParts,
  operationId: string,
  operation: string,
  options: WaitOptions & { signal: AbortSignal },
): Promise<{ status: OperationStatus; result: OperationResult }> {
  const resultCall = resultSpec(operationId, operation, parts.limits);
  const status = await completion(parts, operationId, operation, options);
  if (!status.isSuccessful) {
    const reason = status.error ? `: ${quote(status.error.message)}` : ', and the service gave no reason';
    const message = `The ${operation} ${operationId} failed${reason}.`.replace(/([.!?…])\.$/, '$1');
    throw new ClientError('OPERATION_FAILED', message, { report: status.report });
  }
  return { status, result: await resultOf(parts, resultCall, options.signal) };
}

/** The first status record that says "completed". */
function completion(
  parts: WaitParts,
  operationId: string,
  operation: string,
  options: WaitOptions & { signal: AbortSignal },
): Promise<OperationStatus> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const leave = () => {
      ticket.remove();
      stopListening?.();
      signal.removeEventListener('abort', onAbort);
    };
    const end: Ending = {
      complete: (status) => {
        leave();
        resolve(status);
      },
      fail: (error) => {
        leave();
        reject(error);
      },
    };
    const onAbort = () => end.fail(abortedError(`The wait for ${operation} ${operationId}`));
    const job = new CompletionJob(parts, operationId, operation, options, end);
    const ticket = parts.scheduler.add(job, job.delayMs);
    const stopListening = options.callbacks?.listen(() => {
      const afterMs = job.onCallback();
      if (afterMs !== undefined) ticket.hurry(afterMs);
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
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
