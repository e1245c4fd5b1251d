import { randomUUID } from 'node:crypto';
import { createFailedGrantLimiter } from './auth/failed-grant-limiter.js';
import { createGrants } from './auth/grant.js';
import { createPasswordCheck } from './auth/passwords.js';
import { type BlobStore, openBlobStore } from './blobs/blob-store.js';
import { StorageQuota } from './blobs/storage-quota.js';
import type { AddressFilter } from './callbacks/address-filter.js';
import { CallbackSender } from './callbacks/callback-sender.js';
import type { Signer } from './callbacks/create-signer.js';
import { postWithSsrfGuard } from './callbacks/ssrf-guarded-post.js';
import { LIMITS, type Limits } from './defaults.js';
import type { FaultPlan } from './fault-injection/fault-plan.js';
import { injectCallbackFaults, injectJobFailures } from './fault-injection/inject-faults.js';
import { createApp } from './http/app.js';
import { builtKernelProgram } from './kernel/built-kernel-program.js';
import { createKernelRunner } from './kernel/kernel-runner.js';
import { kernelVersion } from './kernel/kernel-version.js';
import { WarmKernelPool } from './kernel/warm-kernel-pool.js';
import type { Logger } from './logger.js';
import { type ConcurrencyPlan, planConcurrency, readCapacity, warmKernelCount } from './machine/capacity.js';
import { createMetrics, type Metrics } from './metrics.js';
import { createResultCache, type ResultCache } from './operations/result-cache.js';
import type { RunDependencies } from './operations/run-operation.js';
import { Worker } from './operations/worker.js';
import { createAccounts } from './store/accounts.js';
import { createCallbacks } from './store/callbacks.js';
import type { Store } from './store/database.js';
import { createFiles } from './store/files.js';
import { createOperations } from './store/operations.js';
import { createStatistics } from './store/statistics.js';
import { createTokens } from './store/tokens.js';

/** What a service is told. */
export interface ServeOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  /** Where everything is kept. No other service may use it. */
  dataFolder: string;
  /** What callbacks may be sent to. */
  allowsCallback: AddressFilter;
  /** Default: callbacks are not signed. */
  signCallback?: Signer | undefined;
  logger: Logger;
  /** Default: what the machine or the container carries. */
  plan?: Partial<ConcurrencyPlan>;
  /** Default: the smaller of 20 GiB and 20 % of (free disk + what the folder holds). */
  quotaBytes?: number | undefined;
  /** Those that differ from `LIMITS`. */
  limits?: Partial<Limits>;
  /** The program that runs one job. Default: the one built beside this program. */
  kernelProgram?: string;
  /** How many kernel processes wait for the next jobs. Default: one where there are 2 GiB of memory, two where there are 4. */
  warmKernels?: number;
  /** Whether a repeated operation is answered with what was made before. Default: yes, but never where something is to go wrong on purpose. */
  usesResultCache?: boolean;
  /** What is to go wrong on purpose. Default: nothing. */
  faults?: FaultPlan | undefined;
  /** ms since 1970. Default: the clock. */
  now?: () => number;
}

/** What all parts share. */
function createSharedComponents(store: Store, options: ServeOptions) {
  return {
    accounts: createAccounts(store),
    files: createFiles(store),
    operations: createOperations(store),
    tokens: createTokens(store),
    callbacks: createCallbacks(store),
    limits: { ...LIMITS, ...options.limits },
    now: options.now ?? Date.now,
    logger: options.logger,
  };
}

type Common = ReturnType<typeof createSharedComponents>;

/** What finds outputs that were made before. Where something goes wrong on purpose, each operation is run, so that it can. */
async function createCacheIfEnabled(
  { operations }: Common,
  blobs: BlobStore,
  metrics: Metrics,
  { usesResultCache = true, faults, kernelProgram = builtKernelProgram() }: ServeOptions,
): Promise<ResultCache | undefined> {
  if (!usesResultCache || faults) return undefined;
  const kernel = await kernelVersion(kernelProgram);
  return createResultCache({ operations, blobs, kernelVersion: kernel, onHit: metrics.countCacheHit });
}

/** The queue and what follows from an operation's end. */
function createWorkers(
  common: Common,
  { blobs, retention, recall }: Pick<RunDependencies, 'blobs' | 'retention' | 'recall'>,
  metrics: Metrics,
  options: ServeOptions,
) {
  const { limits, logger } = common;
  const capacity = readCapacity();
  const { workers, jobMemoryBytes } = planConcurrency(capacity, options.plan);
  const kernel = { program: options.kernelProgram ?? builtKernelProgram(), memoryBytes: jobMemoryBytes };
  const count = options.warmKernels ?? warmKernelCount(capacity);
  const warmKernels = new WarmKernelPool({
    ...kernel,
    count,
    idleMs: limits.warmKernelIdleMs,
    warmUpDelayMs: limits.warmUpDelayMs,
  });
  const run = createKernelRunner({
    ...kernel,
    warmPool: warmKernels,
    deadlineMs: limits.operationTimeoutMs,
    onCrash: (stderr) => {
      metrics.countCrash();
      logger.error({ stderr }, 'a kernel process broke down');
    },
  });
  const { faults } = options;
  const runJob = metrics.instrument(faults ? injectJobFailures(run, faults) : run);
  const sender = new CallbackSender({
    ...common,
    allows: options.allowsCallback,
    sign: options.signCallback,
    post: faults ? injectCallbackFaults(postWithSsrfGuard, faults) : postWithSsrfGuard,
    onAttempt: metrics.countDeliveryAttempt,
  });
  const worker = new Worker({ ...common, blobs, retention, recall, runJob, workers, onCompleted: () => sender.wake() });
  logger.info({ workers, jobMemoryBytes, folder: options.dataFolder }, 'starting');
  return { sender, worker, spares: warmKernels };
}

/** Puts all parts of a service together on an open store. Nothing runs yet. `isStopping`: whether the order to stop came. */
export async function createComponents(store: Store, options: ServeOptions, isStopping: () => boolean) {
  const common = createSharedComponents(store, options);
  const { accounts, tokens, limits, now } = common;
  const folder = options.dataFolder;
  const blobs = await openBlobStore(folder);
  const retention = new StorageQuota({ ...common, blobs, folder, quotaBytes: options.quotaBytes });
  const metrics = createMetrics({ counts: createStatistics(store), files: common.files });
  const recall = await createCacheIfEnabled(common, blobs, metrics, options);
  const { sender, worker, spares: warmKernels } = createWorkers(common, { blobs, retention, recall }, metrics, options);
  const instanceId = randomUUID();
  const app = createApp({
    ...{ ...common, blobs, retention, instanceId, isStopping, metrics, faults: options.faults },
    formBytes: limits.formBytes,
    grant: createGrants({ accounts, tokens, checkPassword: createPasswordCheck(), limits, now }),
    failedGrants: createFailedGrantLimiter(limits, now),
    onQueued: () => worker.wake(),
    checkReady: async () => {
      await common.files.totalBytes();
    },
  });
  return { ...common, blobs, retention, sender, worker, spares: warmKernels, app, instanceId };
}

/** All parts of a service. */
export type ServiceComponents = Awaited<ReturnType<typeof createComponents>>;
