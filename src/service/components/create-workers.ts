import { CallbackSender } from '../callbacks/callback-sender.js';
import { postWithSsrfGuard } from '../callbacks/ssrf-guarded-post.js';
import { injectCallbackFaults, injectJobFailures } from '../fault-injection/inject-faults.js';
import { builtKernelProgram } from '../kernel/built-kernel-program.js';
import { createKernelRunner } from '../kernel/kernel-runner.js';
import { kernelVersion } from '../kernel/kernel-version.js';
import { openSandbox } from '../kernel/sandbox/open-sandbox.js';
import { WarmKernelPool } from '../kernel/warm-kernel-pool.js';
import {
  countJobThreads,
  countSuspendableJobs,
  planConcurrency,
  readCapacity,
  warmKernelCount,
} from '../machine/capacity.js';
import type { Metrics } from '../metrics.js';
import { createResultCache, type ResultCache } from '../operations/result-cache.js';
import { Worker } from '../operations/worker.js';
import type { WorkerDependencies } from '../operations/worker-dependencies.js';
import type { WorkerOptions } from './options.js';
import type { SharedComponents } from './shared-components.js';

/** Creates the result cache, unless it is disabled. With fault injection every operation runs, so that it can fail. */
async function createCacheIfEnabled(
  shared: SharedComponents,
  metrics: Metrics,
  { usesResultCache = true, faults, kernelProgram = builtKernelProgram() }: WorkerOptions,
): Promise<ResultCache | undefined> {
  if (!usesResultCache || faults) return undefined;
  const kernel = await kernelVersion(kernelProgram);
  return createResultCache({ ...shared, kernelVersion: kernel, onHit: metrics.countCacheHit });
}

/**
 * Creates the worker, its kernel processes and the callback sender. `folder`: where it works, for the log. Throws
 * `SANDBOX_UNAVAILABLE`.
 */
export async function createWorkers(
  shared: SharedComponents,
  { storageQuota, metrics, folder }: Pick<WorkerDependencies, 'storageQuota'> & { metrics: Metrics; folder: string },
  options: WorkerOptions,
) {
  const { limits, logger } = shared;
  const capacity = readCapacity();
  const plan = planConcurrency(capacity, options.plan);
  const { workers, jobMemoryBytes } = plan;
  const program = options.kernelProgram ?? builtKernelProgram();
  const { sandbox: mode = 'off' } = options;
  const sandbox = await openSandbox({ mode, program, createPath: () => shared.blobs.scratchPath(), logger });
  const kernel = { program, memoryBytes: jobMemoryBytes, sandbox };
  const count = options.warmKernels ?? warmKernelCount(capacity);
  const resultCache = await createCacheIfEnabled(shared, metrics, options);
  const warmKernels = new WarmKernelPool({
    ...kernel,
    count,
    idleTimeoutMs: limits.warmKernelIdleMs,
    warmUpDelayMs: limits.warmUpDelayMs,
    reuse: {
      count: workers,
      idleTimeoutMs: limits.usedKernelIdleMs,
      maxJobs: limits.maxJobsPerKernel,
      maxResidentBytes: limits.maxUsedKernelBytes,
    },
  });
  const runInProcess = createKernelRunner({
    ...kernel,
    warmPool: warmKernels,
    timeoutMs: limits.operationTimeoutMs,
    onCrash: (stderr) => {
      metrics.countCrash();
      logger.error({ stderr }, 'Kernel process crashed');
    },
  });
  const { faults, runJob: run = runInProcess } = options;
  const runJob = metrics.instrument(faults ? injectJobFailures(run, faults) : run);
  const sender = new CallbackSender({
    ...shared,
    isAllowed: options.isCallbackAllowed,
    sign: options.signCallback,
    post: faults ? injectCallbackFaults(postWithSsrfGuard, faults) : postWithSsrfGuard,
    onAttempt: metrics.countDeliveryAttempt,
  });
  const worker = new Worker({
    ...shared,
    storageQuota,
    resultCache,
    runJob,
    workers,
    maxSuspended: countSuspendableJobs(capacity, plan),
    maxThreads: countJobThreads(capacity),
    metrics: metrics.createWorkerMetrics(workers),
    maxStoring: shared.isStorageRemote ? workers : 0,
    onCompleted: ({ callback_url: url }) => {
      if (url !== null) sender.wake();
    },
  });
  logger.info({ workers, jobMemoryBytes, folder }, 'Starting');
  return { sender, worker, warmKernels };
}
