import type { ChildProcess } from 'node:child_process';
import type { KernelExit } from './kernel-exit.js';
import { explainKernelStartError } from './kernel-start-error.js';
import { createLineReader } from './line-reader.js';
import { type Job, type JobMessage, type JobOutcome, WARM_UP } from './messages.js';
import { type KernelProgram, startKernel } from './start-kernel.js';

/** How a job ended in a process: with an outcome, or with the end of the process. */
export type JobEnd =
  /** `residentBytes`: the resident memory of the process if it waits for another job. */
  | { outcome: JobOutcome; residentBytes: number | undefined }
  /** `hasResponded`: whether the process had read the job. */
  | { exit: KernelExit; hasResponded: boolean };

/** The job that a process runs. */
interface CurrentJob {
  onProgress: ((progress: number) => void) | undefined;
  hasResponded: boolean;
  resolve: (end: JobEnd) => void;
  reject: (error: Error) => void;
}

// A report lists at most a few thousand defects.
const MAX_LINE_LENGTH = 64 * 1024 * 1024;
const MAX_STDERR_LENGTH = 8 * 1024;

/**
 * Parses a line of a kernel process. Returns `undefined` if it is not a message. Checks only the outer fields: the
 * program is trusted, but its output may be truncated.
 */
function readMessage(line: string): JobMessage | undefined {
  try {
    const message: unknown = JSON.parse(line);
    if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
    const isComplete =
      (message.type === 'progress' && 'progress' in message && typeof message.progress === 'number') ||
      (message.type === 'done' && 'result' in message) ||
      (message.type === 'failed' && 'code' in message && 'message' in message);
    return isComplete ? (message as JobMessage) : undefined; // its outer fields were just checked
  } catch {
    return undefined; // the process ended in the middle of a line
  }
}

/**
 * A kernel process, which runs jobs one after the other. It is killed if it writes a line without end, or writes while it
 * runs no job.
 */
export class KernelProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<void>;
  #job: CurrentJob | undefined;
  #jobCount = 0;
  #stderr = '';
  #exit: Omit<KernelExit, 'stderr'> | undefined;
  #error: Error | undefined;

  /** Starts a process. */
  constructor(program: KernelProgram) {
    const child = startKernel(program);
    this.#child = child;
    const kill = (): void => this.kill();
    child.stdout?.on(
      'data',
      createLineReader(MAX_LINE_LENGTH, (line) => this.#onLine(line), kill),
    );
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-MAX_STDERR_LENGTH);
    });
    child.stdin?.on('error', () => undefined); // `close` follows
    this.#closed = new Promise((resolve) => {
      child.on('error', (error) => {
        this.#error = child.pid === undefined ? explainKernelStartError(error) : error;
        this.#job?.reject(this.#error);
        if (child.pid === undefined) resolve(); // it could not be started
      });
      child.on('close', (code, signal) => {
        this.#exit = { code, signal };
        this.#endJob();
        resolve();
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The number of jobs that it was given. */
  get jobCount(): number {
    return this.#jobCount;
  }

  /** Whether it runs, and was not killed: the end of a killed process is reported later. */
  get isAlive(): boolean {
    const { pid, exitCode, signalCode, killed } = this.#child;
    return pid !== undefined && exitCode === null && signalCode === null && !killed;
  }

  /** Resolves once it has ended. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Makes it warm up until it gets its next job. */
  warmUp(): void {
    this.#child.stdin?.write(`${WARM_UP}\n`);
  }

  /** Runs a job, after the earlier ones have ended. Rejects if the process could not be started. */
  run(job: Job, onProgress?: (progress: number) => void): Promise<JobEnd> {
    this.#jobCount += 1;
    this.#stderr = '';
    return new Promise((resolve, reject) => {
      if (this.#error) reject(this.#error);
      this.#job = { onProgress, hasResponded: false, resolve, reject };
      if (this.#exit) this.#endJob();
      else this.#child.stdin?.write(`${JSON.stringify(job)}\n`); // stays open: its end tells that the parent died
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Kills it. Resolves once it has ended. */
  async end(): Promise<void> {
    this.kill();
    await this.#closed;
  }

  #onLine(line: string): void {
    const job = this.#job;
    if (!job) {
      this.kill();
      return;
    }
    const message = readMessage(line);
    if (!message) return;
    job.hasResponded = true;
    if (message.type === 'progress') {
      job.onProgress?.(message.progress);
      return;
    }
    this.#job = undefined;
    const { residentBytes, ...outcome } = message;
    job.resolve({ outcome, residentBytes });
  }

  #endJob(): void {
    const { code, signal } = this.#exit ?? { code: null, signal: null };
    const exit = { stderr: this.#stderr, code, signal };
    this.#job?.resolve({ exit, hasResponded: this.#job.hasResponded });
    this.#job = undefined;
  }
}
