import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { performJob } from '../jobs/perform-job.js';
import { type Job, type JobMessage, WARM_UP } from './messages.js';
import { warmUp } from './warm-up.js';

/**
 * What the thread of a kernel process does: waits for its one job, rehearsing where it is told to, runs it, and tells what comes of it. Afterwards
 * nothing listens any more, and the thread ends. A rejection ends it too, and the main thread hears of it.
 */
export function runJobThread(port: MessagePort): void {
  const send = (message: JobMessage): void => port.postMessage(message);
  let hasJob = false;
  const run = async (job: Job): Promise<void> => {
    const outcome = await performJob(job, {
      onProgress: (progress) => send({ type: 'progress', progress }),
      onInput: (sha256) => send({ type: 'input', sha256 }),
    });
    send(outcome);
  };
  const warmUpUntilJob = async (): Promise<void> => {
    for await (const _ of warmUp()) {
      await nextTurn(); // now the job is heard of, if it came meanwhile
      if (hasJob) return;
    }
  };
  const listen = (message: Job | typeof WARM_UP): void => {
    if (message === WARM_UP) {
      void warmUpUntilJob();
      return;
    }
    hasJob = true;
    port.off('message', listen);
    void run(message);
  };
  port.on('message', listen);
}
