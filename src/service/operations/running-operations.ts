import type { JobQueue } from '../store/job-queue.js';

/** The dependencies of `RunningOperations`. */
export interface RunningOperationsDependencies {
  queue: Pick<JobQueue, 'keepAlive'>;
  /** Interval of the checks whether another process cancelled one, in ms. */
  checkMs: number;
  /** Called if the store could not be read. The next check follows. */
  onError: (error: unknown) => void;
}

/**
 * The operations that a worker runs, each with a signal that is aborted once it is cancelled: at once by `abort` in this
 * process, within `checkMs` if another process cancelled it in the store. The store is read only while some run.
 */
export class RunningOperations {
  readonly #dependencies: RunningOperationsDependencies;
  /** id → what aborts the operation */
  readonly #controllers = new Map<string, AbortController>();
  #checking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #stopReason: Error | undefined;

  constructor(dependencies: RunningOperationsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Adds an operation. Returns the signal that ends its run, which is aborted already after `stop`. */
  add(id: string): AbortSignal {
    const controller = new AbortController();
    if (this.#stopReason) controller.abort(this.#stopReason);
    this.#controllers.set(id, controller);
    this.#schedule();
    return controller.signal;
  }

  /** Removes an operation that has ended. */
  remove(id: string): void {
    this.#controllers.delete(id);
    if (this.#controllers.size === 0) this.#unschedule();
  }

  /** Aborts those of these operations that run in this process. */
  abort(ids: Iterable<string>): void {
    for (const id of ids) this.#controllers.get(id)?.abort(new Error('The operation was cancelled.'));
  }

  /** Aborts all because the service is stopping. */
  stop(reason: Error): void {
    this.#stopReason = reason;
    for (const controller of this.#controllers.values()) controller.abort(reason);
  }

  /** Resolves once no check is running. To be called after all operations were removed. */
  async close(): Promise<void> {
    this.#unschedule();
    await this.#checking;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#checking = this.#check();
    }, this.#dependencies.checkMs);
  }

  #unschedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #check(): Promise<void> {
    const { queue, onError } = this.#dependencies;
    try {
      this.abort(await queue.keepAlive([...this.#controllers.keys()]));
    } catch (error) {
      onError(error);
    }
    if (this.#controllers.size > 0) this.#schedule();
  }
}
