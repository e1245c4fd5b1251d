import { isMainThread, parentPort } from 'node:worker_threads';
import { superviseJob } from './kernel/supervise-job.js';

// One program, two threads: the main thread watches, and starts this same file as the thread that runs the job. Only that one loads what jobs need:
// loading it takes as long as the start of Node.
if (isMainThread) {
  const memory = process.argv[2];
  superviseJob(import.meta.url, memory === undefined ? undefined : Number(memory));
} else if (parentPort) {
  const { runJobThread } = await import('./kernel/job-thread.js');
  runJobThread(parentPort);
}
