import { isMainThread, MessagePort, parentPort, workerData } from 'node:worker_threads';
import { superviseJobs } from './kernel/supervise-jobs.js';

// One program, several threads: the main thread supervises, and starts this same file as the thread that runs the job,
// and as those that help with a large one, which get a port. Only these load the kernel, or the part of it that they
// need, because loading it takes as long as starting Node.
if (isMainThread) {
  const memory = process.argv[2];
  superviseJobs(import.meta.url, memory === undefined ? undefined : Number(memory));
} else if (workerData instanceof MessagePort) {
  const { runTaskThread } = await import('./kernel/task-thread.js');
  await runTaskThread(workerData);
} else if (parentPort) {
  const { runJobThread } = await import('./kernel/job-thread.js');
  runJobThread(parentPort);
}
