import type { Reservation } from '../blobs/quotas.js';
import type { JobTurn } from '../kernel/job-turn.js';
import type { Claim, ClaimedOperation } from '../store/job-queue.js';

/** One attempt of a worker to complete an operation. */
export interface Attempt {
  row: ClaimedOperation;
  /** Renewed until the completion is recorded. */
  claim: Claim;
  /** Ends the run. A completion that is being recorded goes on: the lease of the claim decides in the store. */
  signal: AbortSignal;
  /** The time in its slot, for which the user is charged. */
  turn: JobTurn;
  isCharged: boolean;
  /** The space for the output. */
  reservations: Reservation[];
  /** Whether the row of the output was stored. */
  isStored: boolean;
  /** Whether the operation was requeued: it is to be claimed again. */
  isRequeued: boolean;
}

/** Returns the number of an attempt, counted or not: the first one is 1. */
export function attemptOf({ attempts, isWaiting = false }: ClaimedOperation): number {
  return isWaiting ? attempts + 1 : attempts;
}
