import type { ChildProcess } from 'node:child_process';
import os from 'node:os';
import type { KernelExit } from './kernel-exit.js';
import { explainKernelStartError } from './kernel-start-error.js';
import { createLineReader } from './line-reader.js';
import { type Job, type JobMessage, type JobOutcome, WARM_UP } from './messages.js';
import type { SandboxFolder } from './sandbox/sandbox-folder.js';
import { type KernelProgram, startKernel } from './start-kernel.js';
import { startStopGuard } from './stop-guard.js';

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

/** The name of each signal by its number, which is a part of the exit status of a shell, and of `bwrap`. */
const SIGNAL_NAMES = new Map(
  Object.entries(os.constants.signals)
    .reverse() // SIGABRT precedes its other name, SIGIOT
    .map(([name, number]) => [number, name]),
);

/** Returns how the process in a sandbox ended, from how `bwrap` did: it exits with 128 + the signal. */
function readSandboxExit(code: number | null, signal: string | null): Omit<KernelExit, 'stderr'> {
  const name = code === null ? undefined : SIGNAL_NAMES.get(code - 128);
  return name === undefined ? { code, signal } : { code: null, signal: name };
}

/**
 * A kernel process, which runs jobs one after the other. It is killed if it writes a line without end, or writes while it
 * runs no job. In a sandbox, it ends if it leaves anything but files behind.
 */
export class KernelProcess {
  readonly #child: ChildProcess;
  /** Of a process in a sandbox. */
  readonly #folder: SandboxFolder | undefined;
  readonly #ended = new AbortController();
  readonly #closed: Promise<void>;
  #job: CurrentJob | undefined;
  #jobCount = 0;
  #stderr = '';
  #exit: Omit<KernelExit, 'stderr'> | undefined;
  #error: Error | undefined;
  #isKilled = false;
  /** Ends the guard of the process while it is suspended. */
  #endGuard: (() => void) | undefined;

  /** Starts a process. */
  constructor(program: KernelProgram) {
    this.#folder = program.sandbox?.createFolder();
    const child = this.#start(program);
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
    const closed = new Promise<void>((resolve) => {
      child.on('error', (error) => {
        this.#error = child.pid === undefined ? explainKernelStartError(error) : error;
        this.#job?.reject(this.#error);
        if (child.pid === undefined) resolve(); // it could not be started
      });
      child.on('close', (code, signal) => {
        this.#exit = this.#folder ? readSandboxExit(code, signal) : { code, signal };
        this.#ended.abort();
        this.resume();
        this.#endJob();
        resolve();
      });
    });
    this.#closed = closed.then(() => this.#removeFolder());
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
    return this.#isRunning && !this.#isKilled;
  }

  get #isRunning(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** Resolves once it has ended. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Makes it warm up until it gets its next job. */
  warmUp(): void {
    this.#child.stdin?.write(`${WARM_UP}\n`);
  }

  /**
   * Runs a job, after the earlier ones have ended. Rejects if the process could not be started, or with the error of the disk
   * if its files could not be passed on.
   */
  async run(job: Job, onProgress?: (progress: number) => void): Promise<JobEnd> {
    this.#jobCount += 1;
    this.#stderr = '';
    const folder = this.#folder;
    if (!folder) return this.#send(job, onProgress);
    try {
      const inside = await folder.add(job, this.#ended.signal).catch((error: unknown) => {
        if (!this.#ended.signal.aborted) throw error;
        return job; // the process has ended: it gets none
      });
      const end = await this.#send(inside, onProgress);
      if ('outcome' in end && end.outcome.type === 'done') await folder.takeOutput(job);
      await folder.empty().catch(() => this.kill()); // its folder is removed then
      return end;
    } catch (error) {
      this.kill();
      throw error;
    }
  }

  /** The target of signals: in a sandbox, the group of the process. */
  get #target(): number | undefined {
    const { pid } = this.#child;
    return pid !== undefined && this.#folder ? -pid : pid;
  }

  /** Sends a signal to the process, also in a sandbox. Does nothing if it has ended. */
  signal(name: NodeJS.Signals): void {
    const target = this.#target;
    if (target === undefined || !this.#isRunning) return;
    try {
      process.kill(target, name);
    } catch {
      // it has just ended
    }
  }

  /** Suspends the process until `resume`. It can be killed meanwhile, and ends with this one. */
  suspend(): void {
    const target = this.#target;
    if (target === undefined || !this.#isRunning || this.#endGuard) return;
    try {
      this.#endGuard = startStopGuard(target);
    } catch {
      return; // without memory for a further process: it runs on
    }
    this.signal('SIGSTOP');
  }

  /** Resumes the process. Does nothing if it is not suspended. */
  resume(): void {
    if (!this.#endGuard) return;
    this.signal('SIGCONT');
    this.#endGuard();
    this.#endGuard = undefined;
  }

  kill(): void {
    this.#isKilled = true;
    this.signal('SIGKILL');
  }

  /** Kills it. Resolves once it has ended. */
  async end(): Promise<void> {
    this.kill();
    await this.#closed;
  }

  #start(program: KernelProgram): ChildProcess {
    try {
      return startKernel(program, this.#folder?.path);
    } catch (error) {
      void this.#removeFolder();
      throw error;
    }
  }

  /** Never rejects: what remains is deleted at the next start. */
  async #removeFolder(): Promise<void> {
    await this.#folder?.remove().catch(() => undefined);
  }

  #send(job: Job, onProgress: ((progress: number) => void) | undefined): Promise<JobEnd> {
    return new Promise((resolve, reject) => {
      if (this.#error) reject(this.#error);
      this.#job = { onProgress, hasResponded: false, resolve, reject };
      if (this.#exit) this.#endJob();
      else this.#child.stdin?.write(`${JSON.stringify(job)}\n`); // stays open: its end tells that the parent died
    });
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
