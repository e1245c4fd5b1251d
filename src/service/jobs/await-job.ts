import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { Job, JobMessage } from './messages.js';
import { performJob } from './perform-job.js';
import { rehearse } from './rehearse.js';

/** What the thread of a job is told at its start. */
export interface ThreadOptions {
  /** Whether it rehearses while it waits. */
  rehearses: boolean;
}

/**
 * What the thread of a kernel process does: waits for its one job, runs it, and tells what comes of it. Afterwards nothing listens any more, and the
 * thread ends. A rejection ends it too, and the main thread hears of it.
 */
export const awaitJob = (port: MessagePort, { rehearses }: ThreadOptions): void => {
  const tell = (message: JobMessage): void => port.postMessage(message);
  let hasJob = false;
  const run = async (job: Job): Promise<void> => {
    hasJob = true;
    const outcome = await performJob(job, {
      onProgress: (progress) => tell({ type: 'progress', progress }),
      onInput: (sha256) => tell({ type: 'input', sha256 }),
    });
    tell(outcome);
  };
  port.once('message', (job: Job) => void run(job));
  const rehearseUntilJob = async (): Promise<void> => {
    for await (const _ of rehearse()) {
      await nextTurn(); // now the job is heard of, if it came meanwhile
      if (hasJob) return;
    }
  };
  if (rehearses) void rehearseUntilJob();
};
