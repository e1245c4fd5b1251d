import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { performJob } from '../jobs/perform-job.js';
import { readGlobalState } from './global-state.js';
import { type Job, type JobMessage, WARM_UP } from './messages.js';
import { createThreadRunner } from './thread-runner.js';
import { warmUp } from './warm-up.js';

/** A job for the job thread. */
export interface ThreadJob {
  job: Job;
  /** The ports of the threads that help with it. */
  ports: readonly MessagePort[];
}

/**
 * Runs the job thread of a kernel process: runs jobs one after the other and posts their messages, and warms up between
 * them if requested. If another job can run after a job, it posts the resident memory of the process with the outcome.
 * That is so if the job succeeded, used no library and no other thread, and left the state that jobs share as it was. A
 * rejection ends the thread, and is reported to the main thread.
 */
export function runJobThread(port: MessagePort): void {
  const send = (message: JobMessage): void => port.postMessage(message);
  const warmUpSteps = warmUp();
  let jobCount = 0;

  const run = async ({ job, ports }: ThreadJob): Promise<void> => {
    const stateBefore = readGlobalState();
    const onProgress = (progress: number): void => send({ type: 'progress', progress });
    const runner = ports.length === 0 ? undefined : createThreadRunner(ports);
    const { usesLibrary, ...outcome } = await performJob(job, onProgress, runner);
    const isAlone = !usesLibrary && ports.length === 0;
    const isReusable = outcome.type === 'done' && isAlone && readGlobalState() === stateBefore;
    send(isReusable ? { ...outcome, residentBytes: process.memoryUsage.rss() } : outcome);
  };
  const warmUpUntilJob = async (): Promise<void> => {
    const jobCountBefore = jobCount;
    while (!(await warmUpSteps.next()).done) {
      await nextTurn(); // lets a job that arrived meanwhile be received
      if (jobCount > jobCountBefore) return;
    }
  };
  port.on('message', (message: ThreadJob | typeof WARM_UP) => {
    if (message === WARM_UP) {
      void warmUpUntilJob();
      return;
    }
    jobCount += 1;
    void run(message);
  });
}
