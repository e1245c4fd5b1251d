import { isMainThread, parentPort } from 'node:worker_threads';
import type { Job, JobMessage } from './jobs/messages.js';
import { performJob } from './jobs/perform-job.js';
import { superviseJob } from './jobs/supervise-job.js';

// One file, two threads: the main thread watches, and starts this same file as the thread that runs the job.
if (isMainThread) {
  const memory = process.argv[2];
  superviseJob(import.meta.url, memory === undefined ? undefined : Number(memory));
} else {
  const tell = (message: JobMessage): void => parentPort?.postMessage(message);
  const run = async (job: Job): Promise<void> => {
    const outcome = await performJob(job, {
      onProgress: (progress) => tell({ type: 'progress', progress }),
      onInput: (sha256) => tell({ type: 'input', sha256 }),
    });
    tell(outcome);
  };
  // The one job: afterwards nothing listens any more, and the thread ends. A rejection ends it too, and the main thread hears of it.
  parentPort?.once('message', (job: Job) => void run(job));
}
