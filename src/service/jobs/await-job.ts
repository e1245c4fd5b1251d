import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { type Job, type JobMessage, REHEARSE } from './messages.js';
import { performJob } from './perform-job.js';
import { rehearse } from './rehearse.js';

/**
 * What the thread of a kernel process does: waits for its one job, rehearsing where it is told to, runs it, and tells what comes of it. Afterwards
 * nothing listens any more, and the thread ends. A rejection ends it too, and the main thread hears of it.
 */
export const awaitJob = (port: MessagePort): void => {
  const tell = (message: JobMessage): void => port.postMessage(message);
  let hasJob = false;
  const run = async (job: Job): Promise<void> => {
    const outcome = await performJob(job, {
      onProgress: (progress) => tell({ type: 'progress', progress }),
      onInput: (sha256) => tell({ type: 'input', sha256 }),
    });
    tell(outcome);
  };
  const rehearseUntilJob = async (): Promise<void> => {
    for await (const _ of rehearse()) {
      await nextTurn(); // now the job is heard of, if it came meanwhile
      if (hasJob) return;
    }
  };
  const listen = (message: Job | typeof REHEARSE): void => {
    if (message === REHEARSE) {
      void rehearseUntilJob();
      return;
    }
    hasJob = true;
    port.off('message', listen);
    void run(message);
  };
  port.on('message', listen);
};
