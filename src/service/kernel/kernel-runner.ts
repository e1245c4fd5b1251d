import { chooseThreadCount } from './choose-thread-count.js';
import { JobTurn } from './job-turn.js';
import { explainExit } from './kernel-exit.js';
import type { KernelProcess } from './kernel-process.js';
import { explainEarlyExit } from './kernel-start-error.js';
import type { Job, JobFailureCode, JobOutcome } from './messages.js';
import { countOomKills } from './oom-kills.js';
import { isMemoryCapped, type KernelProgram } from './start-kernel.js';
import { WarmKernelPool } from './warm-kernel-pool.js';

/** The options of a kernel runner. */
export interface KernelRunnerOptions extends KernelProgram {
  /** The timeout of a job, also of both runs of one that several threads began. */
  timeoutMs: number;
  /** Returns how many processes the system has killed because memory was short. Default: reads its counters. */
  countOomKills?: () => number | undefined;
  /** Called with the stderr output of a process that crashed. */
  onCrash?: (stderr: string) => void;
  /** Returns the time in milliseconds, from any origin. Default: `performance.now`. */
  now?: () => number;
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
  /** Suspends the job, whose timeout then stands still. Default: a new one. */
  turn?: JobTurn;
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

/** The options of a run in one process. */
interface ProcessRunOptions extends RunOptions {
  threads: number;
  turn: JobTurn;
  /** The part of the timeout that remains. */
  remainingMs: number;
}

/** Runs a job in a process, and kills the process when no time remains and when the signal is aborted. */
async function runInProcess(
  kernel: KernelProcess,
  request: JobRequest,
  { signal, onProgress, threads, turn, remainingMs }: ProcessRunOptions,
  { memoryBytes, timeoutMs, onCrash, ...options }: KernelRunnerOptions,
  onStart: () => void,
): Promise<ProcessRun> {
  const countKills = options.countOomKills ?? countOomKills;
  const killsBefore = countKills() ?? 0;
  let hasTimedOut = false;
  const kill = (): void => kernel.kill();
  const expire = (): void => {
    hasTimedOut = true;
    kill();
  };
  const endsAt = turn.usedMs + remainingMs;
  let timer: NodeJS.Timeout | undefined;
  const unfollow = turn.follow((isSuspended) => {
    clearTimeout(timer);
    if (isSuspended) kernel.suspend();
    else kernel.resume();
    if (!isSuspended) timer = setTimeout(expire, endsAt - turn.usedMs);
  });
  signal.addEventListener('abort', kill, { once: true });
  try {
    const job = { ...request, memoryBytes, checksOwnMemory: !isMemoryCapped, threads };
    const running = kernel.run(job, onProgress);
    onStart();
    const end = await running;
    if (hasTimedOut) return { outcome: createTimeoutOutcome(timeoutMs), didStart: true };
    if ('outcome' in end) return { ...end, didStart: true };
    const startError = end.hasResponded ? undefined : explainEarlyExit(end.exit);
    if (startError) throw startError;
    if (!signal.aborted) onCrash?.(end.exit.stderr);
    const isMemoryShort = (countKills() ?? 0) > killsBefore;
    return {
      outcome: explainExit(end.exit, isMemoryShort, memoryBytes),
      didStart: end.hasResponded,
      wasKilled: end.exit.signal === 'SIGKILL',
    };
  } finally {
    unfollow();
    clearTimeout(timer);
    kernel.resume(); // it may have been suspended after its last message
    signal.removeEventListener('abort', kill);
  }
}

/**
 * Failures for which the memory that earlier jobs left in the process, or that a second thread takes, may be the reason.
 * Readers that lack memory say that the file is too large, and libraries may also say that it is malformed.
 */
const MEMORY_FAILURES: readonly JobFailureCode[] = ['OUT_OF_MEMORY', 'TOO_LARGE', 'FILE_MALFORMED'];

/**
 * Returns whether a job is to run again, in a new process and with one thread. It is if the waiting process that it got
 * had just ended, or if memory may have been short because of earlier jobs in the process or because of a second thread.
 * It is not if somebody killed the process: a machine that lacks memory would lack it again.
 */
function shouldRepeat(run: ProcessRun, { jobCount }: KernelProcess, wasWaiting: boolean, threads: number): boolean {
  const { outcome, didStart, wasKilled = false } = run;
  if (!didStart) return wasWaiting;
  if (outcome.type !== 'failed' || wasKilled) return false;
  return (jobCount > 1 || threads > 1) && MEMORY_FAILURES.includes(outcome.code);
}

function isFailure(outcome: JobOutcome, code: JobFailureCode): boolean {
  return outcome.type === 'failed' && outcome.code === code;
}

/**
 * Creates a function that runs each job in a kernel process, at most twice. When its run settles, the process waits for
 * the next job of the same user, or has ended.
 */
export function createKernelRunner(options: KernelRunnerOptions): RunJob {
  const { program, memoryBytes, sandbox } = options;
  const pool = options.warmPool ?? new WarmKernelPool({ program, memoryBytes, sandbox });
  const runAndRelease = async (
    kernel: KernelProcess,
    request: JobRequest,
    runOptions: ProcessRunOptions,
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
    const { signal, owner, threads: maxThreads = 1, turn = new JobTurn(options.now) } = runOptions;
    const threads = maxThreads > 1 ? await chooseThreadCount(request, maxThreads) : 1;
    signal.throwIfAborted();
    const deadline = turn.usedMs + options.timeoutMs;
    let remainingMs = options.timeoutMs;
    let firstOutcome: JobOutcome | undefined;
    const waiting = pool.acquire(owner);
    if (waiting || threads > 1) {
      const kernel = waiting ?? pool.start(owner);
      const first = await runAndRelease(kernel, request, { ...runOptions, turn, threads, remainingMs });
      // What earlier jobs left behind does not shorten the time of this one.
      if (threads > 1) remainingMs = deadline - turn.usedMs;
      if (remainingMs <= 0 || !shouldRepeat(first, kernel, waiting !== undefined, threads)) return first.outcome;
      signal.throwIfAborted();
      firstOutcome = first.outcome;
    }
    const { outcome } = await runAndRelease(pool.start(owner), request, {
      ...runOptions,
      turn,
      threads: 1,
      remainingMs,
    });
    const isShortened = remainingMs < options.timeoutMs && isFailure(outcome, 'DEADLINE_PASSED');
    // With more time it would most likely have failed again: its reason helps more than a timeout.
    return firstOutcome && isShortened && !isFailure(firstOutcome, 'OUT_OF_MEMORY') ? firstOutcome : outcome;
  };
}
