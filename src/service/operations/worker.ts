import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import { delay } from '../machine/pause.js';
import type { Completion, Operations } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';
import { noteEnding } from './note-ending.js';
import { createProgressNotes } from './progress-notes.js';
import { endingOfError, type RunParts, runOperation } from './run-operation.js';

export interface WorkerParts extends RunParts {
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
  readonly #parts: WorkerParts;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** Looks into the queue: to be called whenever something was put there. */
  wake(): void {
    const { logger } = this.#parts;
    this.#looking = this.#looking
      .then(() => this.#look())
      .catch((err: unknown) => {
        logger.error({ err }, 'the queue could not be read: tried again');
        void this.#wakeLater();
      });
  }

  /** Nobody else might wake it: while the disk is full no operation is claimed, and none can be started. */
  async #wakeLater(): Promise<void> {
    await delay(this.#parts.limits.storeRetryMs, this.#stopping.signal);
    this.wake();
  }

  /** Ends the kernel processes, puts their operations back into the queue, and takes no more. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the service stops'));
    await this.#looking;
    await Promise.all(this.#running);
    await this.#looking; // the last one to end looked once more
  }

  async #look(): Promise<void> {
    const { operations, workers, now } = this.#parts;
    while (this.#running.size < workers && !this.#stopping.signal.aborted) {
      const row = await operations.claim(now());
      if (!row) return;
      this.#start(row);
    }
  }

  #start(row: OperationRow): void {
    const { logger } = this.#parts;
    const one: Promise<void> = this.#work(row)
      .catch((err: unknown) => logger.error({ err, operationId: row.id }, 'the end of an operation could not be noted'))
      .finally(() => {
        this.#running.delete(one);
        this.wake();
      });
    this.#running.add(one);
  }

  /** Brings a claimed operation to its end, or back into the queue where the service stops. */
  async #work(row: OperationRow): Promise<void> {
    const { operations, limits, onCompleted, now, logger } = this.#parts;
    const log = logger.child({ operationId: row.id, operation: row.kind });
    const ending = await this.#run(row, log);
    const noteParts = { ...this.#parts, storeRetryMs: limits.storeRetryMs };
    if (!ending || !(await noteEnding(row, ending, noteParts, this.#stopping.signal))) {
      await operations.requeue(row.id);
      log.info('the service stops: queued again');
      return;
    }
    log.info({ isSuccessful: ending.isSuccessful, ms: now() - (row.started_at ?? now()) }, 'completed');
    onCompleted();
  }

  /** How the operation ended; `undefined` where it did not, because the service stops. */
  async #run(row: OperationRow, log: Logger): Promise<Completion | undefined> {
    const { operations, now } = this.#parts;
    const onError = (err: unknown): void => log.warn({ err }, 'progress could not be noted');
    const notes = createProgressNotes((progress) => operations.setProgress(row.id, progress), now, onError);
    try {
      return await runOperation(row, this.#parts, this.#stopping.signal, notes.note);
    } catch (error) {
      if (this.#stopping.signal.aborted) return undefined;
      log.error({ err: error }, 'the operation could not be run');
      return endingOfError(error);
    } finally {
      await notes.written();
    }
  }
}
