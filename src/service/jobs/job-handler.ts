import type { TaskRunner } from '../../mesh/core/task-runner.js';
import type { Job, JobOutcome, JobResult } from '../kernel/messages.js';
import type { OperationKind, ParametersOf, ResultFieldsOf } from '../operations/operation-kind.js';

/** The outcome of a job. `usesLibrary`: whether a reader called a library, which may keep state and memory. */
export type HandlerOutcome<Fields = object> = JobOutcome<Fields> & { usesLibrary?: boolean };

/**
 * Runs the jobs of one operation: reads the input, computes, writes the output. Calls `onProgress` with 0..1, and may
 * run parts in other threads by `runner`, which it gets only if the operation's record has `canUseThreads`. Its parameters
 * and the fields of its result are those of the record.
 */
export type JobHandler<Kind extends OperationKind = OperationKind> = (
  job: Job<ParametersOf<Kind>>,
  onProgress: (progress: number) => void,
  runner?: TaskRunner,
) => HandlerOutcome<ResultFieldsOf<Kind>> | Promise<HandlerOutcome<ResultFieldsOf<Kind>>>;

/** Returns the output path of a job. Throws if it has none, which is a programming error. */
export function requireOutputPath({ outputPath, operation }: Job<object>): string {
  if (outputPath === undefined) throw new Error(`The job ${operation} has no output path.`);
  return outputPath;
}

/** Returns the outcome of a successful job. */
export function succeeded<Fields>(result: JobResult<Fields>): JobOutcome<Fields> {
  return { type: 'done', result };
}
