import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { createLineReader } from './line-reader.js';
import type { Job, JobOutcome } from './messages.js';
import { readMessage } from './read-message.js';

export interface KernelRunnerOptions {
  /** The program that runs one job: `kernel-process.js`. */
  program: string;
  /** The most memory that a job may hold. */
  memoryBytes: number;
  /** A job that runs longer is ended. */
  deadlineMs: number;
  /** Told what a process that broke down wrote to stderr. */
  onBreakdown?: (stderr: string) => void;
}

export interface RunOptions {
  /** Ends the kernel process at once; the run then rejects with the signal's reason. */
  signal: AbortSignal;
  onProgress?: (progress: number) => void;
}

/** A job before the runner adds what concerns the process. */
export type JobRequest = Omit<Job, 'memoryBytes' | 'watchesMemory'>;

/** Runs one job, each in a process of its own. A failure is an outcome, not an exception. */
export type RunJob = (job: JobRequest, options: RunOptions) => Promise<JobOutcome>;

// A report names at most some thousand places.
const MOST_LINE = 64 * 1024 * 1024;
const KEPT_STDERR = 8 * 1024;
// Nice: whoever serves requests or prints comes first.
const PRIORITY = 10;
// The system's killer of last resort shall take this process before any other of ours.
const OOM_SCORE = '800';

// All that a kernel process gets of our environment. No NODE_OPTIONS, nobody's secrets.
const ENVIRONMENT = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'LC_ALL', 'TZ', 'SystemRoot', 'WINDIR'];

const isCapped = process.platform === 'linux';

/** Starts the program; on Linux under a cap on all memory that it may write to, which also counts what V8's own limits leave out. */
const start = ({ program, memoryBytes }: KernelRunnerOptions): ChildProcess => {
  const env = Object.fromEntries(ENVIRONMENT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const options = { env, stdio: 'pipe', windowsHide: true } as const;
  if (!isCapped) return spawn(process.execPath, [program], options);
  const script = `ulimit -d ${Math.floor(memoryBytes / 1024)} && exec "$0" "$@"`;
  return spawn('/bin/sh', ['-c', script, process.execPath, program], options);
};

const giveWay = (pid: number): void => {
  try {
    os.setPriority(pid, PRIORITY);
  } catch {
    // it has ended, or this system does not let us: it runs on as it is
  }
  if (isCapped) writeFile(`/proc/${pid}/oom_score_adj`, OOM_SCORE).catch(() => undefined); // as above
};

const sizeText = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;

const outOfMemory = (memoryBytes: number): JobOutcome => ({
  type: 'failed',
  code: 'OUT_OF_MEMORY',
  message: `the model needs more memory than the ${sizeText(memoryBytes)} that one job may take: raise --memory, or reduce the model first`,
});

/** What a process that ended without a last message died of. */
const deathOf = (stderr: string, how: string, signal: string | null, memoryBytes: number): JobOutcome => {
  const isMemory =
    signal === 'SIGKILL' || /out of memory|allocation failed|bad_alloc|heap limit|cannot allocate/i.test(stderr);
  if (isMemory) return outOfMemory(memoryBytes);
  const message = `the kernel process broke down (${how}) while it worked on this model: the model may be damaged in a way we do not know; please report it`;
  return { type: 'failed', code: 'KERNEL_CRASHED', message };
};

/** Makes the function that runs jobs in processes of their own. Each process is gone when its run ends, however it ends. */
export const createKernelRunner = (options: KernelRunnerOptions): RunJob => {
  const { memoryBytes, deadlineMs } = options;
  return (request, { signal, onProgress }) =>
    new Promise<JobOutcome>((resolve, reject) => {
      signal.throwIfAborted();
      const child = start(options);
      let outcome: JobOutcome | undefined;
      let stderr = '';
      const end = (): void => {
        child.kill('SIGKILL');
      };
      const timer = setTimeout(() => {
        const message = `the operation took longer than ${Math.round(deadlineMs / 1000)} s and was ended: reduce the model first`;
        outcome ??= { type: 'failed', code: 'DEADLINE_PASSED', message };
        end();
      }, deadlineMs);
      signal.addEventListener('abort', end, { once: true });
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
      };

      const onLine = (line: string): void => {
        const message = readMessage(line);
        if (message?.type === 'progress') onProgress?.(message.progress);
        else if (message) outcome ??= message;
      };
      child.stdout?.on('data', createLineReader(MOST_LINE, onLine, end));
      child.stderr?.on('data', (chunk: Buffer) => {
        stderr = (stderr + chunk.toString('utf8')).slice(-KEPT_STDERR);
      });
      child.on('error', (error) => {
        settle();
        reject(error); // it could not be started at all
      });
      child.on('close', (code, signalName) => {
        settle();
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        if (!outcome) options.onBreakdown?.(stderr);
        resolve(outcome ?? deathOf(stderr, signalName ?? `exit status ${code}`, signalName, memoryBytes));
      });
      child.stdin?.on('error', () => undefined); // it died before it read its job; `close` tells
      const job: Job = { ...request, memoryBytes, watchesMemory: !isCapped };
      child.stdin?.write(`${JSON.stringify(job)}\n`); // and stays open: its end tells the process that we died
      if (child.pid !== undefined) giveWay(child.pid);
    });
};
