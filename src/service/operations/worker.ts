import type { Reservation, StorageQuota } from '../blobs/storage-quota.js';
import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import { delay } from '../machine/delay.js';
import type { JobQueue } from '../store/job-queue.js';
import type { Completion, Operations } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';
import { createProgressThrottle } from './progress-throttle.js';
import { recordCompletion } from './record-completion.js';
import { completionForError, type RunDependencies, runOperation } from './run-operation.js';
import { RunningOperations } from './running-operations.js';

/** The dependencies of a `Worker`. */
export interface WorkerDependencies extends RunDependencies {
  operations: Operations;
  queue: Pick<JobQueue, 'claim' | 'keepAlive' | 'release'>;
  storageQuota: Pick<StorageQuota, 'reserve'>;
  limits: Limits;
  /** The number of operations that run concurrently. */
  workers: number;
  /** Called after an operation has completed. */
  onCompleted: () => void;
  logger: Logger;
}

/**
 * Claims queued operations and runs up to `workers` of them concurrently. Driven by `wake()`, and by the end of each
 * operation; does not poll. Claims are serialized, so that two never fill the same slot. An operation during which the
 * service crashed several times waits until no other one runs, and none is claimed while it runs. `createOperations`
 * describes the states of an operation.
 */
export class Worker {
  readonly #dependencies: WorkerDependencies;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #cancellable: RunningOperations;
  #claiming: Promise<void> = Promise.resolve();
  #isRunningAlone = false;

  constructor(dependencies: WorkerDependencies) {
    this.#dependencies = dependencies;
    const { queue, limits, logger } = dependencies;
    const onError = (err: unknown): void => logger.warn({ err }, 'Could not read which operations were cancelled');
    this.#cancellable = new RunningOperations({ queue, checkMs: limits.cancellationCheckMs, onError });
  }

  /** Claims queued operations. To be called whenever one was queued. */
  wake(): void {
    const { logger } = this.#dependencies;
    this.#claiming = this.#claiming
      .then(() => this.#claimPending())
      .catch((err: unknown) => {
        logger.error({ err }, 'Could not read the queue: retrying');
        void this.#retryLater();
      });
  }

  /** Ends the kernel processes of those of these operations that run here. To be called once they were cancelled. */
  abort(ids: readonly string[]): void {
    this.#cancellable.abort(ids);
  }

  /** Wakes after a delay. On a full disk no operation can be started or claimed, so nothing else would call `wake`. */
  async #retryLater(): Promise<void> {
    await delay(this.#dependencies.limits.storeRetryMs, this.#stopping.signal);
    this.wake();
  }

  /** Stops the kernel processes, requeues their operations and claims no more. */
  async close(): Promise<void> {
    const reason = new Error('The service is stopping.');
    this.#stopping.abort(reason);
    this.#cancellable.stop(reason);
    await this.#claiming;
    await Promise.all(this.#running);
    await this.#claiming; // the last operation may have started another claim
    await this.#cancellable.close();
  }

  async #claimPending(): Promise<void> {
    const { queue, workers, limits, now } = this.#dependencies;
    while (this.#running.size < workers && !this.#isRunningAlone && !this.#stopping.signal.aborted) {
      const isIdle = this.#running.size === 0;
      const row = await queue.claim(now(), isIdle ? undefined : limits.maxSharedAttempts);
      if (!row) return;
      this.#isRunningAlone = row.attempts > limits.maxSharedAttempts;
      this.#start(row);
    }
  }

  #start(row: OperationRow): void {
    const { logger } = this.#dependencies;
    const reservations: Reservation[] = [];
    const run: Promise<void> = this.#process(row, reservations)
      .catch((err: unknown) =>
        logger.error({ err, operationId: row.id }, 'Could not record the completion of an operation'),
      )
      .finally(() => {
        for (const reservation of reservations) reservation.release();
        this.#running.delete(run);
        this.#isRunningAlone = false; // either this one ran alone, or none does
        this.wake();
      });
    this.#running.add(run);
  }

  /**
   * Completes a claimed operation, or requeues it if the service is stopping. Does neither if it was cancelled. Adds the
   * reservation of its output, which is to be released after that.
   */
  async #process(row: OperationRow, reservations: Reservation[]): Promise<void> {
    const { queue, limits, onCompleted, now, logger } = this.#dependencies;
    const log = logger.child({ operationId: row.id, operation: row.kind });
    const completion = await this.#run(row, reservations, log);
    const recordDependencies = { ...this.#dependencies, storeRetryMs: limits.storeRetryMs };
    const outcome = completion
      ? await recordCompletion(row, completion, recordDependencies, this.#stopping.signal)
      : 'aborted';
    if (outcome === 'aborted' && this.#stopping.signal.aborted) {
      await queue.release(row.id);
      log.info('Service stopping: requeued');
      return;
    }
    const details = { isSuccessful: completion?.isSuccessful, ms: now() - (row.started_at ?? now()) };
    log.info(details, outcome === 'recorded' ? 'Completed' : 'Cancelled');
    onCompleted();
  }

  /** Runs the operation. Returns its completion, or `undefined` if it was cancelled or the service is stopping. */
  async #run(row: OperationRow, reservations: Reservation[], log: Logger): Promise<Completion | undefined> {
    const { operations, storageQuota, now } = this.#dependencies;
    const onError = (err: unknown): void => log.warn({ err }, 'Could not record the progress');
    const throttle = createProgressThrottle((progress) => operations.setProgress(row.id, progress), now, onError);
    const signal = this.#cancellable.add(row.id);
    const reserveOutput = async (bytes: number): Promise<void> => {
      reservations.push(await storageQuota.reserve(row.owner, bytes));
    };
    try {
      return await runOperation(row, this.#dependencies, { signal, onProgress: throttle.report, reserveOutput });
    } catch (error) {
      if (signal.aborted) return undefined;
      log.error({ err: error }, 'Could not run the operation');
      return completionForError(error);
    } finally {
      this.#cancellable.remove(row.id);
      await throttle.flush();
    }
  }
}
