import type { Job, JobOutcome, JobResult } from '../kernel/messages.js';

/** Runs one kind of job: reads the input, computes, writes the output. Calls `onProgress` with 0..1. */
export type JobHandler = (job: Job, onProgress: (progress: number) => void) => JobOutcome | Promise<JobOutcome>;

/** Returns the output path of a job. Throws if it has none, which is a programming error. */
export function requireOutputPath({ outputPath, operation }: Job): string {
  if (outputPath === undefined) throw new Error(`The job ${operation} has no output path.`);
  return outputPath;
}

/** Returns the outcome of a successful job. */
export function succeeded(result: JobResult): JobOutcome {
  return { type: 'done', result };
}
