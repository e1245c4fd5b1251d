import type { RunJob } from '../../../src/service/kernel/kernel-runner.js';

/** Runs a job as a kernel process does, but in this process: none has to start and to load the kernel for it. */
export const performHere: RunJob = async (job, { onProgress = () => undefined }) => {
  const { performJob } = await import('../../../src/service/jobs/perform-job.js'); // many tests run no job
  return performJob({ ...job, memoryBytes: 1024 ** 3, checksOwnMemory: false }, onProgress);
};

/** Never ends a job, unless it is aborted. */
export const hangs: RunJob = (_job, { signal }) =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
