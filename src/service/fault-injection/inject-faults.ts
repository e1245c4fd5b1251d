import type { postWithSsrfGuard } from '../callbacks/ssrf-guarded-post.js';
import type { RunJob } from '../kernel/kernel-runner.js';
import type { FaultPlan } from './fault-plan.js';

/** The same runner, but for jobs that are to fail. */
export function injectJobFailures(run: RunJob, faults: FaultPlan): RunJob {
  return async (job, options) => {
    const isMeant = ({ operation }: { operation?: string }): boolean => (operation ?? job.operation) === job.operation;
    if (!faults.take('fail-operation', isMeant)) return run(job, options);
    return { type: 'failed', code: 'KERNEL_CRASHED', message: 'the fault mode let this operation fail' };
  };
}

/** The same sending of callbacks, but for those that are to be lost, late or doubled. */
export function injectCallbackFaults(post: typeof postWithSsrfGuard, faults: FaultPlan): typeof postWithSsrfGuard {
  return async (url, body, options) => {
    if (faults.take('lose-callback')) return 200; // as it looks when the receiver took it and lost it
    const late = faults.take('delay-callback');
    if (late) await faults.pause(late.ms, options.signal);
    if (faults.take('double-callback')) await post(url, body, options);
    return post(url, body, options);
  };
}
