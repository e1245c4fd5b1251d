import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { WARM_UP } from './messages.js';
import { type KernelProgram, startKernel } from './start-kernel.js';

/** The options of a warm pool. */
export interface WarmKernelPoolOptions extends KernelProgram {
  /** The maximum number of idle processes. */
  count: number;
  /** An idle process ends after this time. */
  idleTimeoutMs: number;
  /** Idle processes warm up when no job started or ended for this time. */
  warmUpDelayMs: number;
}

function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/**
 * A warm pool of kernel processes, so that a small job need not wait for the start of its process. Each process runs at
 * most one job. The pool starts one process when a job starts and another when it ends, because jobs tend to come in
 * series. Without a job for `warmUpDelayMs` the idle processes warm up; until then the CPU is left to running jobs.
 */
export class WarmKernelPool {
  readonly #options: WarmKernelPoolOptions;
  /** Process → the timer that ends it; the longest idle first. */
  readonly #idle = new Map<ChildProcess, NodeJS.Timeout>();
  readonly #closing = new AbortController();
  #warmUpTimer: NodeJS.Timeout | undefined;
  readonly #warmed = new WeakSet<ChildProcess>();

  constructor(options: WarmKernelPoolOptions) {
    this.#options = options;
  }

  /** Removes and returns the longest idle process, if there is one. The caller owns it from then on. */
  acquire(): ChildProcess | undefined {
    for (const child of this.#idle.keys()) {
      this.#forget(child);
      if (isAlive(child)) return child;
    }
    return undefined;
  }

  /**
   * Starts one process if the pool is not full, and restarts the warm-up delay. To be called whenever a job started or
   * ended.
   */
  replenish(): void {
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#warmUpTimer);
    this.#warmUpTimer = setTimeout(() => this.#warmUpIdle(), this.#options.warmUpDelayMs).unref();
    if (this.#idle.size < this.#options.count) this.#start();
  }

  /** Ends all idle processes and starts no more. All have exited when this resolves. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#warmUpTimer);
    await Promise.all([...this.#idle.keys()].map((child) => this.#end(child)));
  }

  #start(): void {
    const child = startKernel(this.#options);
    const forget = (): void => this.#forget(child);
    child.once('error', forget); // the next job starts its own process and reports the error
    child.once('exit', forget);
    child.stdin?.on('error', forget);
    this.#idle.set(child, setTimeout(() => void this.#end(child), this.#options.idleTimeoutMs).unref());
  }

  #warmUpIdle(): void {
    for (const child of this.#idle.keys()) {
      if (this.#warmed.has(child)) continue;
      this.#warmed.add(child);
      child.stdin?.write(`${WARM_UP}\n`);
    }
  }

  #forget(child: ChildProcess): void {
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
  }

  async #end(child: ChildProcess): Promise<void> {
    this.#forget(child);
    if (!isAlive(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
