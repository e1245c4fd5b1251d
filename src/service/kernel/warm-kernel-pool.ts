import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { WARM_UP } from './messages.js';
import { type KernelProgram, startKernel } from './start-kernel.js';

export interface WarmKernelPoolOptions extends KernelProgram {
  /** How many wait at most. */
  count: number;
  /** One that waited for this long ends. */
  idleMs: number;
  /** They rehearse when no job came or ended for this long. */
  warmUpDelayMs: number;
}

function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/**
 * Kernel processes that wait for the next jobs, so that a small job need not wait for the start of its own. None of them ever ran a job. One is
 * started when a job was taken and another when it ended, since a job seldom comes alone. Where none follows at once they rehearse, so that the next one
 * runs fast; while jobs follow each other the processor is theirs.
 */
export class WarmKernelPool {
  readonly #options: WarmKernelPoolOptions;
  /** Each with the timer that ends it; the one that waits longest first. */
  readonly #idle = new Map<ChildProcess, NodeJS.Timeout>();
  readonly #closing = new AbortController();
  #warmUpTimer: NodeJS.Timeout | undefined;
  readonly #warmed = new WeakSet<ChildProcess>();

  constructor(options: WarmKernelPoolOptions) {
    this.#options = options;
  }

  /** Hands over the process that waits longest, if there is one: from then on it is the caller's. */
  acquire(): ChildProcess | undefined {
    for (const child of this.#idle.keys()) {
      this.#forget(child);
      if (isAlive(child)) return child;
    }
    return undefined;
  }

  /** Starts one more process, where fewer wait than may. To be called whenever a job was taken or ended. */
  replenish(): void {
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#warmUpTimer);
    this.#warmUpTimer = setTimeout(() => this.#warmUpIdle(), this.#options.warmUpDelayMs).unref();
    if (this.#idle.size < this.#options.count) this.#start();
  }

  /** Ends the waiting processes and starts none any more. Nothing is left when it resolves. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#warmUpTimer);
    await Promise.all([...this.#idle.keys()].map((child) => this.#end(child)));
  }

  #start(): void {
    const child = startKernel(this.#options);
    const forget = (): void => this.#forget(child);
    child.once('error', forget); // the job that comes next starts its own, and tells why it cannot
    child.once('exit', forget);
    child.stdin?.on('error', forget);
    this.#idle.set(child, setTimeout(() => void this.#end(child), this.#options.idleMs).unref());
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
