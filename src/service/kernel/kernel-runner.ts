import { chooseThreadCount } from './choose-thread-count.js';
import { explainExit } from './kernel-exit.js';
import type { KernelProcess } from './kernel-process.js';
import type { Job, JobFailureCode, JobOutcome } from './messages.js';
import { countOomKills } from './oom-kills.js';
import { isMemoryCapped, type KernelProgram } from './start-kernel.js';
import { WarmKernelPool } from './warm-kernel-pool.js';

/** The options of a kernel runner. */
export interface KernelRunnerOptions extends KernelProgram {
  /** The timeout of a job. */
  timeoutMs: number;
  /** Returns how many processes the system has killed because memory was short. Default: reads its counters. */
  countOomKills?: () => number | undefined;
  /** Called with the stderr output of a process that crashed. */
  onCrash?: (stderr: string) => void;
  /** The processes of the same program. Default: each job starts its own process, and ends it. */
  warmPool?: WarmKernelPool | undefined;
}

/** The options of one run. */
export interface RunOptions {
  /** Kills the kernel process at once. The run then rejects with the reason of the signal. */
  signal: AbortSignal;
  /** Called with the progress (0..1). */
  onProgress?: (progress: number) => void;
  /** The user whose job it is. Only jobs of the same user run in its process. Default: the process runs no other job. */
  owner?: string;
  /** The maximum number of threads that compute. Default: 1. Small inputs and most operations get one. */
  threads?: number;
}

/** A job without the fields that the runner adds. */
export type JobRequest = Omit<Job, 'memoryBytes' | 'checksOwnMemory' | 'threads'>;

/** Runs one job in a kernel process. A failure is an outcome, not an exception. */
export type RunJob = (job: JobRequest, options: RunOptions) => Promise<JobOutcome>;

/** The result of a job in a process. */
interface ProcessRun {
  outcome: JobOutcome;
  /** Whether the process has read the job. */
  didStart: boolean;
  /** Whether the process was killed from outside, for example because the memory of the machine was used up. */
  wasKilled?: boolean;
  /** The resident memory of the process if it waits for another job. */
  residentBytes?: number | undefined;
}

function createTimeoutOutcome(timeoutMs: number): JobOutcome {
  return {
    type: 'failed',
    code: 'DEADLINE_PASSED',
    message: `The operation timed out after ${Math.round(timeoutMs / 1000)} s. Reduce the model first.`,
  };
}

/** Runs a job in a process, and kills the process after the timeout and when the signal is aborted. */
async function runInProcess(
  kernel: KernelProcess,
  request: JobRequest,
  { signal, onProgress, threads = 1 }: RunOptions,
  { memoryBytes, timeoutMs, onCrash, ...options }: KernelRunnerOptions,
  onStart: () => void,
): Promise<ProcessRun> {
  const countKills = options.countOomKills ?? countOomKills;
  const killsBefore = countKills() ?? 0;
  let hasTimedOut = false;
  const kill = (): void => kernel.kill();
  const timer = setTimeout(() => {
    hasTimedOut = true;
    kill();
  }, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const job = { ...request, memoryBytes, checksOwnMemory: !isMemoryCapped, threads };
    const running = kernel.run(job, onProgress);
    onStart();
    const end = await running;
    if (hasTimedOut) return { outcome: createTimeoutOutcome(timeoutMs), didStart: true };
    if ('outcome' in end) return { ...end, didStart: true };
    if (!signal.aborted) onCrash?.(end.exit.stderr);
    const isMemoryShort = (countKills() ?? 0) > killsBefore;
    return {
      outcome: explainExit(end.exit, isMemoryShort, memoryBytes),
      didStart: end.hasResponded,
      wasKilled: end.exit.signal === 'SIGKILL',
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
}

/**
 * Failures for which the memory that earlier jobs left in the process, or that a second thread took, may be the reason.
 * Libraries that lack memory may
 * also say that the file is malformed.
 */
const MEMORY_FAILURES: readonly JobFailureCode[] = ['OUT_OF_MEMORY', 'TOO_LARGE', 'FILE_MALFORMED'];

/**
 * Returns whether a job is to run again in a new process: the waiting process had just ended, or its memory did not
 * suffice after earlier jobs, or for several threads. If somebody killed the process, the job is not repeated: a machine that
 * lacks memory would lack it again.
 */
function shouldRepeat(run: ProcessRun, { jobCount }: KernelProcess, threads: number): boolean {
  const { outcome, didStart, wasKilled = false } = run;
  if (!didStart) return true;
  const mayNeedMemory = outcome.type === 'failed' && MEMORY_FAILURES.includes(outcome.code);
  return mayNeedMemory && !wasKilled && (jobCount > 1 || threads > 1);
}

/**
 * Creates a function that runs each job in a kernel process. When its run settles, the process waits for the next job of
 * the same user, or has ended.
 */
export function createKernelRunner(options: KernelRunnerOptions): RunJob {
  const pool = options.warmPool ?? new WarmKernelPool({ program: options.program, memoryBytes: options.memoryBytes });
  const runAndRelease = async (
    kernel: KernelProcess,
    request: JobRequest,
    runOptions: RunOptions,
  ): Promise<ProcessRun> => {
    let run: ProcessRun | undefined;
    try {
      run = await runInProcess(kernel, request, runOptions, options, () => pool.replenish());
    } finally {
      const canWait = run?.outcome.type === 'done' && !runOptions.signal.aborted;
      await pool.release(kernel, canWait ? run?.residentBytes : undefined);
      pool.replenish();
    }
    runOptions.signal.throwIfAborted();
    return run;
  };
  return async (request, runOptions) => {
    const { signal, owner, threads: maxThreads = 1 } = runOptions;
    const threads = maxThreads > 1 ? await chooseThreadCount(request, maxThreads) : 1;
    signal.throwIfAborted();
    const waiting = pool.acquire(owner);
    if (waiting || threads > 1) {
      const kernel = waiting ?? pool.start(owner);
      const first = await runAndRelease(kernel, request, { ...runOptions, threads });
      if (!shouldRepeat(first, kernel, threads)) return first.outcome;
      signal.throwIfAborted();
    }
    return (await runAndRelease(pool.start(owner), request, { ...runOptions, threads: 1 })).outcome;
  };
}
