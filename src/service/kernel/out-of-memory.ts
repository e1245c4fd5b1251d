import type { JobOutcome } from './messages.js';

/** Returns the outcome of a job whose process was killed because the memory of the machine or container was used up. */
export function createMemoryShortageOutcome(): JobOutcome {
  return {
    type: 'failed',
    code: 'OUT_OF_MEMORY',
    message:
      'Out of memory: the system ended the kernel process. Retry later, lower --workers or --memory, or add memory.',
  };
}

/** Creates the outcome of a job that exceeded its memory limit of `memoryBytes`. */
export function createOutOfMemoryOutcome(memoryBytes: number): JobOutcome {
  return {
    type: 'failed',
    code: 'OUT_OF_MEMORY',
    message: `Out of memory: the limit per operation is ${Math.round(memoryBytes / 1024 ** 2)} MiB. Raise --memory, or reduce the model first.`,
  };
}
