import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import { delay } from '../machine/delay.js';
import type { Completion, Operations } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';
import { createProgressThrottle } from './progress-throttle.js';
import { recordCompletion } from './record-completion.js';
import { completionForError, type RunDependencies, runOperation } from './run-operation.js';

export interface WorkerDependencies extends RunDependencies {
  operations: Operations;
  limits: Limits;
  /** How many operations run at once. */
  workers: number;
  /** Called when an operation was completed. */
  onCompleted: () => void;
  logger: Logger;
}

/**
 * Takes operations off the queue and has them run, as many at once as it was told; `createOperations` tells of their states.
 *
 * It looks into the queue when it is woken, and again whenever an operation ended: it never asks in vain. One look follows the other, so that
 * two never claim for the same free place.
 */
export class Worker {
  readonly #dependencies: WorkerDependencies;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #claiming: Promise<void> = Promise.resolve();

  constructor(dependencies: WorkerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Looks into the queue: to be called whenever something was put there. */
  wake(): void {
    const { logger } = this.#dependencies;
    this.#claiming = this.#claiming
      .then(() => this.#claimPending())
      .catch((err: unknown) => {
        logger.error({ err }, 'the queue could not be read: tried again');
        void this.#retryLater();
      });
  }

  /** Nobody else might wake it: while the disk is full no operation is claimed, and none can be started. */
  async #retryLater(): Promise<void> {
    await delay(this.#dependencies.limits.storeRetryMs, this.#stopping.signal);
    this.wake();
  }

  /** Ends the kernel processes, puts their operations back into the queue, and takes no more. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the service stops'));
    await this.#claiming;
    await Promise.all(this.#running);
    await this.#claiming; // the last one to end looked once more
  }

  async #claimPending(): Promise<void> {
    const { operations, workers, now } = this.#dependencies;
    while (this.#running.size < workers && !this.#stopping.signal.aborted) {
      const row = await operations.claim(now());
      if (!row) return;
      this.#start(row);
    }
  }

  #start(row: OperationRow): void {
    const { logger } = this.#dependencies;
    const one: Promise<void> = this.#process(row)
      .catch((err: unknown) => logger.error({ err, operationId: row.id }, 'the end of an operation could not be noted'))
      .finally(() => {
        this.#running.delete(one);
        this.wake();
      });
    this.#running.add(one);
  }

  /** Brings a claimed operation to its end, or back into the queue where the service stops. */
  async #process(row: OperationRow): Promise<void> {
    const { operations, limits, onCompleted, now, logger } = this.#dependencies;
    const log = logger.child({ operationId: row.id, operation: row.kind });
    const ending = await this.#run(row, log);
    const recordDependencies = { ...this.#dependencies, storeRetryMs: limits.storeRetryMs };
    if (!ending || !(await recordCompletion(row, ending, recordDependencies, this.#stopping.signal))) {
      await operations.requeue(row.id);
      log.info('the service stops: queued again');
      return;
    }
    log.info({ isSuccessful: ending.isSuccessful, ms: now() - (row.started_at ?? now()) }, 'completed');
    onCompleted();
  }

  /** How the operation ended; `undefined` where it did not, because the service stops. */
  async #run(row: OperationRow, log: Logger): Promise<Completion | undefined> {
    const { operations, now } = this.#dependencies;
    const onError = (err: unknown): void => log.warn({ err }, 'progress could not be noted');
    const notes = createProgressThrottle((progress) => operations.setProgress(row.id, progress), now, onError);
    try {
      return await runOperation(row, this.#dependencies, this.#stopping.signal, notes.report);
    } catch (error) {
      if (this.#stopping.signal.aborted) return undefined;
      log.error({ err: error }, 'the operation could not be run');
      return completionForError(error);
    } finally {
      await notes.flush();
    }
  }
}
