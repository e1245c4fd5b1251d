import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { JobMessage } from './jobs/messages.js';
import { performJob } from './jobs/perform-job.js';
import { superviseJob } from './jobs/supervise-job.js';

// One file, two threads: the main thread watches, and starts this same file as the thread that runs the job.
if (isMainThread) {
  superviseJob(import.meta.url);
} else {
  const tell = (message: JobMessage): void => parentPort?.postMessage(message);
  tell(performJob(workerData, (progress) => tell({ type: 'progress', progress })));
}
