import type { Claim, JobQueue } from '../store/job-queue.js';

/** The dependencies of `RunningOperations`. */
export interface RunningOperationsDependencies {
  queue: Pick<JobQueue, 'keepAlive'>;
  /** Interval of the renewals of their claims, which tell whether another process cancelled one, in ms. */
  checkMs: number;
  /** Called if the store could not be read. The next check follows. */
  onError: (error: unknown) => void;
}

function cancelledError(): Error {
  return new Error('The operation was cancelled.');
}

/**
 * The operations that a worker runs, each with a signal that is aborted once it is cancelled: at once by `abort` in this
 * process, within `checkMs` if another process cancelled or claimed it. The store is accessed only while some run.
 */
export class RunningOperations {
  readonly #dependencies: RunningOperationsDependencies;
  readonly #runs = new Map<Claim, AbortController>();
  #checking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #stopReason: Error | undefined;

  constructor(dependencies: RunningOperationsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Adds an operation. Returns the signal that ends its run, which is aborted already after `stop`. */
  add(claim: Claim): AbortSignal {
    const controller = new AbortController();
    if (this.#stopReason) controller.abort(this.#stopReason);
    this.#runs.set(claim, controller);
    this.#schedule();
    return controller.signal;
  }

  /** Removes an operation that has ended. */
  remove(claim: Claim): void {
    this.#runs.delete(claim);
    if (this.#runs.size === 0) this.#unschedule();
  }

  /** Aborts those of these operations that run in this process. */
  abort(ids: readonly string[]): void {
    const cancelled = new Set(ids);
    for (const [{ id }, controller] of this.#runs) if (cancelled.has(id)) controller.abort(cancelledError());
  }

  /** Aborts all because the service is stopping. */
  stop(reason: Error): void {
    this.#stopReason = reason;
    for (const controller of this.#runs.values()) controller.abort(reason);
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
      for (const claim of await queue.keepAlive([...this.#runs.keys()])) this.#runs.get(claim)?.abort(cancelledError());
    } catch (error) {
      onError(error);
    }
    if (this.#runs.size > 0) this.#schedule();
  }
}
