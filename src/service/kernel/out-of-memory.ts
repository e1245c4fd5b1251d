import type { JobOutcome } from './messages.js';

/** The outcome of a job that needed more than the `memoryBytes` that one job may take, whoever noticed it. */
export function outOfMemory(memoryBytes: number): JobOutcome {
  return {
    type: 'failed',
    code: 'OUT_OF_MEMORY',
    message: `the model needs more memory than the ${Math.round(memoryBytes / 1024 ** 2)} MiB that one job may take: raise --memory, or reduce the model first`,
  };
}
