import type { Job, JobOutcome, JobResult } from '../kernel/messages.js';

/** Runs one kind of job: reads the input, works, writes the output. `onProgress` is told how far it is (0..1). */
export type JobHandler = (job: Job, onProgress: (progress: number) => void) => JobOutcome | Promise<JobOutcome>;

/** Where the job's output goes. Throws where the job names none: a mistake of ours. */
export function requireOutputPath({ outputPath, operation }: Job): string {
  if (outputPath === undefined) throw new Error(`the job ${operation} names no output`);
  return outputPath;
}

/** The outcome of a job that succeeded. */
export function succeeded(result: JobResult): JobOutcome {
  return { type: 'done', result };
}
