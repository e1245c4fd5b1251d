import type { ChildProcess } from 'node:child_process';
import { createLineReader } from './line-reader.js';
import type { Job, JobOutcome } from './messages.js';
import { outOfMemory } from './out-of-memory.js';
import { readMessage } from './read-message.js';
import { isMemoryCapped, type KernelProgram, startKernel } from './start-kernel.js';
import type { WarmKernelPool } from './warm-kernel-pool.js';

export interface KernelRunnerOptions extends KernelProgram {
  /** A job that runs longer is ended. */
  deadlineMs: number;
  /** Told what a process that broke down wrote to stderr. */
  onCrash?: (stderr: string) => void;
  /** Has processes ready, of the same program. Default: each job waits for the start of its own. */
  warmPool?: WarmKernelPool | undefined;
}

export interface RunOptions {
  /** Ends the kernel process at once; the run then rejects with the signal's reason. */
  signal: AbortSignal;
  onProgress?: (progress: number) => void;
  /** Told the SHA-256 of the input's bytes while the job goes on. Default: it is not asked for. */
  onInputHash?: ((sha256: string) => void) | undefined;
}

/** A job before the runner adds what concerns the process. */
export type JobRequest = Omit<Job, 'memoryBytes' | 'checksOwnMemory' | 'reportsInputHash'>;

/** Runs one job, each in a process of its own. A failure is an outcome, not an exception. */
export type RunJob = (job: JobRequest, options: RunOptions) => Promise<JobOutcome>;

// A report names at most some thousand places.
const MAX_LINE_LENGTH = 64 * 1024 * 1024;
const MAX_STDERR_LENGTH = 8 * 1024;

function deadlineExceeded(deadlineMs: number): JobOutcome {
  return {
    type: 'failed',
    code: 'DEADLINE_PASSED',
    message: `the operation took longer than ${Math.round(deadlineMs / 1000)} s and was ended: reduce the model first`,
  };
}

/** What a process that ended without a last message died of. */
function explainExit(stderr: string, how: string, signal: string | null, memoryBytes: number): JobOutcome {
  const isMemory =
    signal === 'SIGKILL' || /out of memory|allocation failed|bad_alloc|heap limit|cannot allocate/i.test(stderr);
  if (isMemory) return outOfMemory(memoryBytes);
  const message = `the kernel process broke down (${how}) while it worked on this model: the model may be damaged in a way we do not know; please report it`;
  return { type: 'failed', code: 'KERNEL_CRASHED', message };
}

/** What a kernel process said so far. */
interface KernelOutput {
  outcome?: JobOutcome;
  /** The end of what it wrote to stderr. */
  stderr: string;
  /** It said something: it has read its job. */
  hasResponded: boolean;
}

/** Listens to a kernel process; one that talks without end is ended by `end`. */
function collectOutput(child: ChildProcess, { onProgress, onInputHash }: RunOptions, end: () => void): KernelOutput {
  const output: KernelOutput = { stderr: '', hasResponded: false };
  const onLine = (line: string): void => {
    const message = readMessage(line);
    if (message) output.hasResponded = true;
    if (message?.type === 'progress') onProgress?.(message.progress);
    else if (message?.type === 'input') onInputHash?.(message.sha256);
    else if (message) output.outcome ??= message;
  };
  child.stdout?.on('data', createLineReader(MAX_LINE_LENGTH, onLine, end));
  child.stderr?.on('data', (chunk: Buffer) => {
    output.stderr = (output.stderr + chunk.toString('utf8')).slice(-MAX_STDERR_LENGTH);
  });
  child.stdin?.on('error', () => undefined); // `close` follows
  return output;
}

/** Runs a job in a process that has none yet. `didStart`: the process did not die before it had read the job. */
function runInProcess(
  child: ChildProcess,
  request: JobRequest,
  runOptions: RunOptions,
  { memoryBytes, deadlineMs, onCrash, warmPool }: KernelRunnerOptions,
): Promise<{ outcome: JobOutcome; didStart: boolean }> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      child.kill('SIGKILL');
    };
    const { signal, onInputHash } = runOptions;
    const output = collectOutput(child, runOptions, end);
    const timer = setTimeout(() => {
      output.outcome ??= deadlineExceeded(deadlineMs);
      end();
    }, deadlineMs);
    signal.addEventListener('abort', end, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    };
    child.on('error', (error) => {
      settle();
      reject(error); // it could not be started at all
    });
    child.on('close', (code, signalName) => {
      settle();
      warmPool?.replenish();
      const { outcome, hasResponded, stderr } = output;
      if (signal.aborted) reject(signal.reason);
      else if (outcome) resolve({ outcome, didStart: true });
      else {
        onCrash?.(stderr);
        const death = explainExit(stderr, signalName ?? `exit status ${code}`, signalName, memoryBytes);
        resolve({ outcome: death, didStart: hasResponded });
      }
    });
    const job: Job = {
      ...request,
      reportsInputHash: onInputHash !== undefined,
      memoryBytes,
      checksOwnMemory: !isMemoryCapped,
    };
    child.stdin?.write(`${JSON.stringify(job)}\n`); // and stays open: its end tells the process that we died
    warmPool?.replenish();
  });
}

/** Makes the function that runs jobs in processes of their own. Each process is gone when its run ends, however it ends. */
export function createKernelRunner(options: KernelRunnerOptions): RunJob {
  return async (request, runOptions) => {
    runOptions.signal.throwIfAborted();
    const waiting = options.warmPool?.acquire();
    // The one that waited may have died just now, and nobody was told yet.
    const ran = waiting && (await runInProcess(waiting, request, runOptions, options));
    if (ran?.didStart) return ran.outcome;
    return (await runInProcess(startKernel(options), request, runOptions, options)).outcome;
  };
}
