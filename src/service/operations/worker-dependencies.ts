import type { Quotas } from '../blobs/quotas.js';
import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import type { ClaimedOperation, JobQueue } from '../store/job-queue.js';
import type { Operations } from '../store/operations.js';
import type { RunDependencies } from './run-operation.js';
import type { WorkerMetrics } from './worker-metrics.js';

/** The dependencies of a `Worker`. */
export interface WorkerDependencies extends RunDependencies {
  operations: Operations;
  queue: Pick<JobQueue, 'claim' | 'claimBeside' | 'charge' | 'beginAttempt' | 'keepAlive' | 'setProgress' | 'release'>;
  storageQuota: Pick<Quotas, 'reserve'>;
  limits: Limits;
  /** The number of operations that run concurrently. */
  workers: number;
  /**
   * How many operations whose jobs have ended, and whose outputs are being stored, may run beside these. Default: none.
   */
  maxStoring?: number;
  /**
   * How many operations may be suspended, so that those of users with none running begin soon. On Windows, how many run beside
   * the others for that. Default: none.
   */
  maxSuspended?: number;
  /** The maximum number of threads of an operation that runs while no other one does. Default: 1. */
  maxThreads?: number;
  /** Called after an operation has completed. */
  onCompleted: (operation: ClaimedOperation) => void;
  /** Default: nothing is counted. */
  metrics?: WorkerMetrics;
  /** Returns a time in ms that changes of the system clock do not affect. Default: `performance.now`. */
  monotonicNow?: () => number;
  logger: Logger;
}
