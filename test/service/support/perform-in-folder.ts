import path from 'node:path';
import { performJob } from '../../../src/service/jobs/perform-job.js';
import type { Job, JobResult } from '../../../src/service/kernel/messages.js';

const MEMORY_BYTES = 1024 ** 3;

/**
 * Performs a job on a file of a folder, in this process. Its output is the file that is named after the operation; an
 * analysis has none. Throws if the job fails.
 */
export async function performInFolder(
  folder: string,
  operation: string,
  input: string,
  parameters: object = {},
): Promise<JobResult> {
  const [inputPath, outputPath] = [path.join(folder, input), path.join(folder, operation)];
  const job: Job = {
    ...{ operation, inputPath, filename: input, parameters: { ...parameters } },
    ...(operation !== 'analyze' && { outputPath }),
    ...{ memoryBytes: MEMORY_BYTES, checksOwnMemory: false },
  };
  const outcome = await performJob(job, () => undefined);
  if (outcome.type !== 'done') throw new Error(outcome.message);
  return outcome.result;
}
