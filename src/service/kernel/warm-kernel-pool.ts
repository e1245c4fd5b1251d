import { KernelProcess } from './kernel-process.js';
import type { KernelProgram } from './start-kernel.js';

/** The options of a warm pool. By default, no process waits for a job. */
export interface WarmKernelPoolOptions extends KernelProgram {
  /** The maximum number of new processes that wait for their first job. */
  count?: number;
  /** A new process that waits ends after this time. */
  idleTimeoutMs?: number;
  /** Processes that wait warm up when no job started or ended for this time. */
  warmUpDelayMs?: number;
  /** When, and for how long, a process waits for another job of its user. Default: never. */
  reuse?: KernelReuse;
}

/** The limits of processes that have run a job. */
export interface KernelReuse {
  /** The maximum number of such processes, running or waiting: the number of jobs that run concurrently. */
  count: number;
  /** One that waits ends after this time. */
  idleTimeoutMs: number;
  /** A process ends after so many jobs. */
  maxJobs: number;
  /** A process whose resident memory is larger after a job ends. The memory of WebAssembly does not shrink. */
  maxResidentBytes: number;
}

const NO_REUSE: KernelReuse = { count: 0, idleTimeoutMs: 0, maxJobs: 1, maxResidentBytes: 0 };

/** A process that waits for another job of its user. */
interface UsedKernel {
  owner: string;
  timer: NodeJS.Timeout;
}

/**
 * A warm pool of kernel processes, so that a small job need not wait for the start of its process, nor run in code that
 * the JIT has not compiled. A process is *new* until it gets its first job, and from then on runs jobs of one user only.
 * It waits for the next one if its job succeeded and the limits of `reuse` allow it; else it ends.
 *
 * The pool starts one new process when a job starts and another when it ends, because jobs tend to come in series. Without
 * a job for `warmUpDelayMs` the processes that wait warm up; until then the CPU is left to running jobs.
 */
export class WarmKernelPool {
  readonly #options: Required<Omit<WarmKernelPoolOptions, 'sandbox'>> & KernelProgram;
  /** Waiting new process → the timer that ends it; the longest waiting first. */
  readonly #unused = new Map<KernelProcess, NodeJS.Timeout>();
  /** Waiting used processes; the longest waiting first. */
  readonly #used = new Map<KernelProcess, UsedKernel>();
  /** Process that runs a job → its user. */
  readonly #running = new Map<KernelProcess, string | undefined>();
  readonly #ending = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #warmUpTimer: NodeJS.Timeout | undefined;

  constructor(options: WarmKernelPoolOptions) {
    this.#options = { count: 0, idleTimeoutMs: 0, warmUpDelayMs: 0, reuse: NO_REUSE, ...options };
  }

  /**
   * Returns a process for a job: the last one that ran a job of the same user, else the longest waiting new one.
   * `undefined` if there is neither. The process belongs to the caller until `release`.
   */
  acquire(owner: string | undefined): KernelProcess | undefined {
    const kernel = this.#findUsed(owner) ?? [...this.#unused.keys()].find(({ isAlive }) => isAlive);
    if (kernel) this.#assign(kernel, owner);
    return kernel;
  }

  /** Starts a process for a job. It belongs to the caller until `release`. */
  start(owner: string | undefined): KernelProcess {
    const kernel = this.#create();
    this.#assign(kernel, owner);
    return kernel;
  }

  /**
   * Takes a process back after a job. Resolves once the process waits for another job, or has ended. `residentBytes`: its
   * memory if it can run another job.
   */
  async release(kernel: KernelProcess, residentBytes: number | undefined): Promise<void> {
    const { maxJobs, maxResidentBytes, idleTimeoutMs } = this.#options.reuse;
    const owner = this.#running.get(kernel);
    this.#running.delete(kernel);
    const canWait = !this.#closing.signal.aborted && kernel.isAlive && kernel.jobCount < maxJobs;
    if (owner === undefined || residentBytes === undefined || residentBytes > maxResidentBytes || !canWait) {
      return this.#end(kernel);
    }
    this.#used.set(kernel, { owner, timer: this.#endAfter(kernel, idleTimeoutMs) });
  }

  /**
   * Starts one new process if fewer than `count` wait, and restarts the warm-up delay. To be called whenever a job started
   * or ended.
   */
  replenish(): void {
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#warmUpTimer);
    this.#warmUpTimer = setTimeout(() => this.#warmUp(), this.#options.warmUpDelayMs).unref();
    if (this.#unused.size >= this.#options.count) return;
    try {
      const kernel = this.#create();
      this.#unused.set(kernel, this.#endAfter(kernel, this.#options.idleTimeoutMs));
    } catch {
      // without memory for a process, `spawn` throws: the next job starts its own and reports the error
    }
  }

  /** Ends all processes that wait and starts no more. They have ended when this resolves. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#warmUpTimer);
    for (const kernel of [...this.#unused.keys(), ...this.#used.keys()]) void this.#end(kernel);
    await Promise.all(this.#ending);
  }

  #create(): KernelProcess {
    const kernel = new KernelProcess(this.#options);
    void kernel.closed.then(() => this.#forget(kernel));
    return kernel;
  }

  #findUsed(owner: string | undefined): KernelProcess | undefined {
    return [...this.#used].findLast(([kernel, used]) => used.owner === owner && kernel.isAlive)?.[0];
  }

  /** Assigns a process to a job. Ends the longest waiting used process instead of exceeding their maximum number. */
  #assign(kernel: KernelProcess, owner: string | undefined): void {
    this.#forget(kernel);
    this.#running.set(kernel, owner);
    for (const used of this.#used.keys()) {
      if (this.#running.size + this.#used.size <= this.#options.reuse.count) return;
      void this.#end(used);
    }
  }

  #warmUp(): void {
    for (const kernel of [...this.#unused.keys(), ...this.#used.keys()]) kernel.warmUp();
  }

  #endAfter(kernel: KernelProcess, ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#end(kernel), ms).unref();
  }

  #forget(kernel: KernelProcess): void {
    clearTimeout(this.#unused.get(kernel));
    clearTimeout(this.#used.get(kernel)?.timer);
    this.#unused.delete(kernel);
    this.#used.delete(kernel);
  }

  async #end(kernel: KernelProcess): Promise<void> {
    this.#forget(kernel);
    const ended = kernel.end();
    this.#ending.add(ended);
    await ended;
    this.#ending.delete(ended);
  }
}
