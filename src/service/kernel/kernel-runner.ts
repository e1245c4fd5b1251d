import type { ChildProcess } from 'node:child_process';
import { createLineReader } from './line-reader.js';
import type { Job, JobMessage, JobOutcome } from './messages.js';
import { countOomKills } from './oom-kills.js';
import { createMemoryShortageOutcome, createOutOfMemoryOutcome } from './out-of-memory.js';
import { isMemoryCapped, type KernelProgram, startKernel } from './start-kernel.js';
import type { WarmKernelPool } from './warm-kernel-pool.js';

/** The options of a kernel runner. */
export interface KernelRunnerOptions extends KernelProgram {
  /** The timeout of a job. */
  timeoutMs: number;
  /** Returns how many processes the system has killed because memory was short. Default: reads its counters. */
  countOomKills?: () => number | undefined;
  /** Called with the stderr output of a process that crashed. */
  onCrash?: (stderr: string) => void;
  /** Idle processes of the same program. Default: each job waits for the start of its own process. */
  warmPool?: WarmKernelPool | undefined;
}

/** The options of one run. */
export interface RunOptions {
  /** Kills the kernel process at once. The run then rejects with the reason of the signal. */
  signal: AbortSignal;
  /** Called with the progress (0..1). */
  onProgress?: (progress: number) => void;
}

/** A job without the fields that the runner adds. */
export type JobRequest = Omit<Job, 'memoryBytes' | 'checksOwnMemory'>;

/** Runs one job in its own process. A failure is an outcome, not an exception. */
export type RunJob = (job: JobRequest, options: RunOptions) => Promise<JobOutcome>;

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

function createTimeoutOutcome(timeoutMs: number): JobOutcome {
  return {
    type: 'failed',
    code: 'DEADLINE_PASSED',
    message: `The operation timed out after ${Math.round(timeoutMs / 1000)} s. Reduce the model first.`,
  };
}

/** How a process ended that sent no result. */
interface Exit {
  stderr: string;
  code: number | null;
  signal: string | null;
  /** Whether the system killed a process since this one started, because memory was short. */
  isMemoryShort: boolean;
}

/**
 * Returns the outcome of a process that ended without a result. One that exceeds its own limit prints it, and kills itself
 * only after it has sent its result: without one, SIGKILL came from outside.
 */
function explainExit({ stderr, code, signal, isMemoryShort }: Exit, memoryBytes: number): JobOutcome {
  const isMemory = /out of memory|allocation failed|failed to allocate|bad_alloc|heap limit|cannot allocate/i.test(
    stderr,
  );
  if (isMemory) return createOutOfMemoryOutcome(memoryBytes);
  if (signal === 'SIGKILL' && isMemoryShort) return createMemoryShortageOutcome();
  const exit = signal ?? `exit status ${code}`;
  const message =
    signal === 'SIGKILL'
      ? 'The kernel process was ended from outside (SIGKILL). Retry; if it happens again, check the memory of the machine.'
      : `The kernel process crashed (${exit}). Report it, with the model if possible.`;
  return { type: 'failed', code: 'KERNEL_CRASHED', message };
}

/** The output of a kernel process so far. */
interface KernelOutput {
  outcome?: JobOutcome;
  /** The end of its stderr. */
  stderr: string;
  /** Whether it sent a message, and therefore has read its job. */
  hasResponded: boolean;
}

/** Collects the messages and the stderr of a kernel process. Calls `kill` if it writes a line without end. */
function collectOutput(child: ChildProcess, { onProgress }: RunOptions, kill: () => void): KernelOutput {
  const output: KernelOutput = { stderr: '', hasResponded: false };
  const onLine = (line: string): void => {
    const message = readMessage(line);
    if (message) output.hasResponded = true;
    if (message?.type === 'progress') onProgress?.(message.progress);
    else if (message) output.outcome ??= message;
  };
  child.stdout?.on('data', createLineReader(MAX_LINE_LENGTH, onLine, kill));
  child.stderr?.on('data', (chunk: Buffer) => {
    output.stderr = (output.stderr + chunk.toString('utf8')).slice(-MAX_STDERR_LENGTH);
  });
  child.stdin?.on('error', () => undefined); // `close` follows
  return output;
}

/** Runs a job in an idle process. `didStart`: whether the process has read the job before it ended. */
function runInProcess(
  child: ChildProcess,
  request: JobRequest,
  runOptions: RunOptions,
  { memoryBytes, timeoutMs, onCrash, warmPool, ...options }: KernelRunnerOptions,
): Promise<{ outcome: JobOutcome; didStart: boolean }> {
  const countKills = options.countOomKills ?? countOomKills;
  const killsBefore = countKills() ?? 0;
  return new Promise((resolve, reject) => {
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    const { signal } = runOptions;
    const output = collectOutput(child, runOptions, kill);
    const timer = setTimeout(() => {
      output.outcome ??= createTimeoutOutcome(timeoutMs);
      kill();
    }, timeoutMs);
    signal.addEventListener('abort', kill, { once: true });
    const removeListeners = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
    };
    child.on('error', (error) => {
      removeListeners();
      reject(error); // the process could not be started
    });
    child.on('close', (code, exitSignal) => {
      removeListeners();
      warmPool?.replenish();
      const { outcome, hasResponded, stderr } = output;
      if (signal.aborted) reject(signal.reason);
      else if (outcome) resolve({ outcome, didStart: true });
      else {
        onCrash?.(stderr);
        const isMemoryShort = (countKills() ?? 0) > killsBefore;
        const exit = { stderr, code, signal: exitSignal, isMemoryShort };
        resolve({ outcome: explainExit(exit, memoryBytes), didStart: hasResponded });
      }
    });
    const job: Job = {
      ...request,
      memoryBytes,
      checksOwnMemory: !isMemoryCapped,
    };
    child.stdin?.write(`${JSON.stringify(job)}\n`); // stays open: its end tells the process that its parent died
    warmPool?.replenish();
  });
}

/** Creates a function that runs each job in its own kernel process. Each process has ended when its run settles. */
export function createKernelRunner(options: KernelRunnerOptions): RunJob {
  return async (request, runOptions) => {
    runOptions.signal.throwIfAborted();
    const warmProcess = options.warmPool?.acquire();
    // The idle process may have just ended, before its exit was reported. The job then runs in a new one.
    const result = warmProcess && (await runInProcess(warmProcess, request, runOptions, options));
    if (result?.didStart) return result.outcome;
    runOptions.signal.throwIfAborted();
    return (await runInProcess(startKernel(options), request, runOptions, options)).outcome;
  };
}
