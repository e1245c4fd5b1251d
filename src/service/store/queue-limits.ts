import type { Limits } from '../defaults.js';
import { ServiceError } from '../service-error.js';
import type { QueueLengths } from './queue.js';

/** The max numbers of queued operations. */
export type QueueLimits = Pick<Limits, 'maxQueuedPerUser' | 'maxQueued'>;

// A client that sends many starts is told to wait until a hundredth of the places is free.
const FREED_FRACTION = 0.01;
const MAX_WAIT_S = 60;

function estimateWaitS(limit: number, claimIntervalMs: number): number {
  const seconds = Math.ceil((Math.ceil(limit * FREED_FRACTION) * claimIntervalMs) / 1000);
  return Math.min(Math.max(seconds, 1), MAX_WAIT_S);
}

/** Throws `USER_QUEUE_FULL` or `QUEUE_FULL` if more operations are queued than allowed. */
export function requireSpace(
  { ofUser, ofAll, claimIntervalMs }: QueueLengths,
  { maxQueuedPerUser, maxQueued }: QueueLimits,
): void {
  if (ofUser > maxQueuedPerUser) {
    throw new ServiceError(
      'USER_QUEUE_FULL',
      `Queue full: ${maxQueuedPerUser} of your operations are waiting. Start fewer at a time, or raise --queue-per-user.`,
      { retryAfterS: estimateWaitS(maxQueuedPerUser, claimIntervalMs) },
    );
  }
  if (ofAll > maxQueued) {
    throw new ServiceError(
      'QUEUE_FULL',
      `Queue full: ${maxQueued} operations of all users are waiting. Retry later, or raise --queue-total.`,
      { retryAfterS: estimateWaitS(maxQueued, claimIntervalMs) },
    );
  }
}
