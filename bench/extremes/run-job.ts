// The process in which bench/extremes.ts runs the jobs of a model, so that a deadline can end it: takes a job, sends back its processor time.

import { performJob } from '../../src/service/jobs/perform-job.js';
import type { Job } from '../../src/service/kernel/messages.js';

/** The processor time of a job, and its failure. */
export interface JobFigures {
  s: number;
  code?: string;
}

function measureCpuS(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

process.on('message', (job: Job) => {
  const start = measureCpuS();
  void performJob(job, () => undefined).then((outcome) => {
    const code = outcome.type === 'failed' ? { code: outcome.code } : {};
    process.send?.({ s: measureCpuS() - start, ...code } satisfies JobFigures);
  });
});
