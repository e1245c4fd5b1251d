import { isMainThread, parentPort } from 'node:worker_threads';
import { superviseJobs } from './kernel/supervise-jobs.js';

// One program, two threads: the main thread supervises, and starts this same file as the thread that runs the job. Only
// that thread loads the kernel, because loading it takes as long as starting Node.
if (isMainThread) {
  const memory = process.argv[2];
  superviseJobs(import.meta.url, memory === undefined ? undefined : Number(memory));
} else if (parentPort) {
  const { runJobThread } = await import('./kernel/job-thread.js');
  runJobThread(parentPort);
}
