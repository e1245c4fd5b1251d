import type { Task } from '../../mesh/core/task-runner.js';

// Elements of `TaskMessage.progress`.
const CLAIMED = 0;
const FINISHED = 1;

/** A wait for other threads is interrupted after this time, so that it survives a missed notification. */
const MAX_WAIT_MS = 100;

/** Offers the parts of a task to another thread. */
export interface TaskMessage {
  /** The number of this run. */
  run: number;
  /** The name of the task. */
  task: string;
  input: unknown;
  partCount: number;
  /** The numbers of claimed and of finished parts, in memory that threads share. */
  progress: Int32Array;
}

/** The output of a part, or what it threw. */
export type PartResult = { part: number; output: unknown } | { part: number; error: unknown };

/** The results of the parts of a run that a thread has claimed. */
export interface TaskReply {
  run: number;
  results: PartResult[];
}

/**
 * Claims the parts of a task and runs them until none remains, then passes their results to `reply`, if there are any.
 * The parts count as finished after that.
 */
export function runParts<Input>(
  task: Task<Input, unknown>,
  { input, partCount, progress }: { input: Input; partCount: number; progress: Int32Array },
  reply: (results: PartResult[]) => void,
): void {
  const results: PartResult[] = [];
  for (;;) {
    const part = Atomics.add(progress, CLAIMED, 1);
    if (part >= partCount) break;
    try {
      results.push({ part, output: task.runPart(input, part) });
    } catch (error) {
      results.push({ part, error });
    }
  }
  if (results.length === 0) return;
  reply(results);
  Atomics.add(progress, FINISHED, results.length);
  Atomics.notify(progress, FINISHED);
}

/** Blocks this thread until all parts of a run are finished. */
export function waitForParts({ partCount, progress }: Pick<TaskMessage, 'partCount' | 'progress'>): void {
  for (;;) {
    const finished = Atomics.load(progress, FINISHED);
    if (finished >= partCount) return;
    Atomics.wait(progress, FINISHED, finished, MAX_WAIT_MS);
  }
}
