import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type KernelProgram, startKernel } from './start-kernel.js';

const isAlive = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

/**
 * At most one kernel process that waits for the next job, so that a small job need not wait for the start of its own. It never ran a job. It is
 * started when a job was taken, and ended when none came for `idleMs`.
 */
export class SpareKernel {
  readonly #program: KernelProgram;
  readonly #idleMs: number;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(program: KernelProgram, idleMs: number) {
    this.#program = program;
    this.#idleMs = idleMs;
  }

  /** Hands the waiting process over, if there is one: from then on it is the caller's. */
  take(): ChildProcess | undefined {
    const child = this.#child;
    this.#forget();
    return child && isAlive(child) ? child : undefined;
  }

  /** Starts a process where none waits. */
  prepare(): void {
    if (this.#closing.signal.aborted || this.#child) return;
    const child = startKernel(this.#program);
    const forget = (): void => {
      if (this.#child === child) this.#forget();
    };
    child.once('error', forget); // the job that comes next starts its own, and tells why it cannot
    child.once('exit', forget);
    child.stdin?.on('error', forget);
    this.#child = child;
    this.#timer = setTimeout(() => void this.#end(), this.#idleMs).unref();
  }

  /** Ends the waiting process and starts none any more. Nothing is left when it resolves. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#end();
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#child = undefined;
  }

  async #end(): Promise<void> {
    const child = this.take();
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
