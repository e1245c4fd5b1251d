import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { performJob } from '../jobs/perform-job.js';
import { type Job, type JobMessage, WARM_UP } from './messages.js';
import { warmUp } from './warm-up.js';

/**
 * Runs the job thread of a kernel process: waits for its one job, warming up if requested, runs it and posts its
 * messages. The thread ends afterwards, because nothing listens any more. A rejection ends it too and is reported to
 * the main thread.
 */
export function runJobThread(port: MessagePort): void {
  const send = (message: JobMessage): void => port.postMessage(message);
  let hasReceivedJob = false;
  const run = async (job: Job): Promise<void> => {
    send(await performJob(job, (progress) => send({ type: 'progress', progress })));
  };
  const warmUpUntilJob = async (): Promise<void> => {
    for await (const _ of warmUp()) {
      await nextTurn(); // lets a job that arrived meanwhile be received
      if (hasReceivedJob) return;
    }
  };
  const onMessage = (message: Job | typeof WARM_UP): void => {
    if (message === WARM_UP) {
      void warmUpUntilJob();
      return;
    }
    hasReceivedJob = true;
    port.off('message', onMessage);
    void run(message);
  };
  port.on('message', onMessage);
}
