import type { postWithSsrfGuard } from '../callbacks/ssrf-guarded-post.js';
import type { RunJob } from '../kernel/kernel-runner.js';
import type { FaultPlan } from './fault-plan.js';

/** Wraps a job runner with the fault `fail-operation`. */
export function injectJobFailures(run: RunJob, faults: FaultPlan): RunJob {
  return async (job, options) => {
    const matchesOperation = ({ operation }: { operation?: string }): boolean =>
      (operation ?? job.operation) === job.operation;
    if (!faults.take('fail-operation', matchesOperation)) return run(job, options);
    return { type: 'failed', code: 'KERNEL_CRASHED', message: 'Injected fault: operation failed.' };
  };
}

/** Wraps the sending of callbacks with the faults `lose-callback`, `delay-callback` and `double-callback`. */
export function injectCallbackFaults(post: typeof postWithSsrfGuard, faults: FaultPlan): typeof postWithSsrfGuard {
  return async (url, body, options) => {
    if (faults.take('lose-callback')) return 200; // as if the receiver accepted it and lost it
    const delay = faults.take('delay-callback');
    if (delay) await faults.pause(delay.ms, options.signal);
    if (faults.take('double-callback')) await post(url, body, options);
    return post(url, body, options);
  };
}
