import { randomUUID } from 'node:crypto';
import { createGrants } from './auth/grant.js';
import { createLoginChecks } from './auth/login-checks.js';
import { openBlobFolder } from './blobs/blob-folder.js';
import type { SpareFile } from './blobs/spare-file.js';
import { StorageQuota } from './blobs/storage-quota.js';
import type { AddressFilter } from './callbacks/address-filter.js';
import { CallbackSender } from './callbacks/callback-sender.js';
import type { Signer } from './callbacks/create-signer.js';
import { postWithSsrfGuard } from './callbacks/ssrf-guarded-post.js';
import { writeAccountsFile } from './data-folder/accounts-file.js';
import { accountsPath } from './data-folder/data-folder.js';
import { LIMITS, type Limits } from './defaults.js';
import type { FaultPlan } from './fault-injection/fault-plan.js';
import { injectCallbackFaults, injectJobFailures } from './fault-injection/inject-faults.js';
import { createApp } from './http/app.js';
import type { PublicAddress } from './http/public-address.js';
import { createDamageRecorder } from './integrity/damage-recorder.js';
import { builtKernelProgram } from './kernel/built-kernel-program.js';
import { createKernelRunner } from './kernel/kernel-runner.js';
import { kernelVersion } from './kernel/kernel-version.js';
import { WarmKernelPool } from './kernel/warm-kernel-pool.js';
import type { Logger } from './logger.js';
import { type ConcurrencyPlan, planConcurrency, readCapacity, warmKernelCount } from './machine/capacity.js';
import { createMetrics, type Metrics } from './metrics.js';
import { createResultCache, type ResultCache } from './operations/result-cache.js';
import { Worker, type WorkerDependencies } from './operations/worker.js';
import { startRetentionClock } from './retention-clock.js';
import { createAccounts } from './store/accounts.js';
import { createCallbacks } from './store/callbacks.js';
import { createCancellations } from './store/cancellations.js';
import type { Store } from './store/database.js';
import { createFiles } from './store/files.js';
import { createIdempotencyKeys } from './store/idempotency-keys.js';
import { createJobQueue } from './store/job-queue.js';
import { createLists } from './store/lists.js';
import { createOperations } from './store/operations.js';
import { createRetentionTimes } from './store/retention-times.js';
import { createScrubPosition } from './store/scrub-position.js';
import { createStatistics } from './store/statistics.js';
import { createTokens } from './store/tokens.js';
import { createUsage } from './store/usage.js';

/** The options of a service. */
export interface ServeOptions extends PublicAddress {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Holds all data. Only one service at a time can use it. */
  dataFolder: string;
  /** Returns whether callbacks may be sent to an address. */
  isCallbackAllowed: AddressFilter;
  /** Default: callbacks are not signed. */
  signCallback?: Signer | undefined;
  logger: Logger;
  /** The token that `GET /metrics` requires. Default: it needs none, and replies to programs on this machine only. */
  metricsToken?: string | undefined;
  /** Default: derived from the cores and the memory of the machine or container. */
  plan?: Partial<ConcurrencyPlan>;
  /** Space for stored files. Default: 20 % of (free disk space + stored files), at most 20 GiB. */
  quotaBytes?: number | undefined;
  /** Space for the stored files of each user who has no quota of their own. Default: no limit. */
  userQuotaBytes?: number | undefined;
  /** Overrides of `LIMITS`. */
  limits?: Partial<Limits>;
  /** The program that runs one job. Default: the bundled one. */
  kernelProgram?: string;
  /** Idle kernel processes kept ready for the next jobs. Default: one with 2 GiB of memory, two with 4 GiB or more. */
  warmKernels?: number;
  /** Whether to reuse the results of identical operations. Default: true. Always off with fault injection. */
  usesResultCache?: boolean;
  /** Faults to inject. Default: none. */
  faults?: FaultPlan | undefined;
  /** Returns the time in ms since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Returns a time in ms that changes of the system clock do not affect. Default: `performance.now`. */
  monotonicNow?: () => number;
}

/** Creates the components that most others depend on. */
async function createSharedComponents(store: Store, options: ServeOptions) {
  const now = options.now ?? Date.now;
  const monotonicNow = options.monotonicNow ?? (() => performance.now());
  const { logger } = options;
  const limits = { ...LIMITS, ...options.limits };
  const files = createFiles(store);
  const queue = createJobQueue(store, limits);
  const blobs = await openBlobFolder(options.dataFolder);
  return {
    accounts: createAccounts(store, () => writeAccountsFile(accountsPath(options.dataFolder), store)),
    files,
    usage: createUsage(store),
    blobs,
    damage: createDamageRecorder({ files, blobs, now, logger }),
    scrubPosition: createScrubPosition(store),
    queue,
    operations: createOperations(store, queue),
    cancellations: createCancellations(store),
    lists: createLists(store),
    tokens: createTokens(store),
    keys: createIdempotencyKeys(store),
    callbacks: createCallbacks(store),
    limits,
    monotonicNow,
    clock: await startRetentionClock({ times: createRetentionTimes(store), now, monotonicNow }),
    now,
    logger,
  };
}

type SharedComponents = Awaited<ReturnType<typeof createSharedComponents>>;

/** Creates the result cache, unless it is disabled. With fault injection every operation runs, so that it can fail. */
async function createCacheIfEnabled(
  shared: SharedComponents,
  metrics: Metrics,
  { usesResultCache = true, faults, kernelProgram = builtKernelProgram() }: ServeOptions,
): Promise<ResultCache | undefined> {
  if (!usesResultCache || faults) return undefined;
  const kernel = await kernelVersion(kernelProgram);
  return createResultCache({ ...shared, kernelVersion: kernel, onHit: metrics.countCacheHit });
}

/** Creates the worker, its kernel processes and the callback sender. */
function createWorkers(
  shared: SharedComponents,
  { storageQuota, resultCache }: Pick<WorkerDependencies, 'storageQuota' | 'resultCache'>,
  metrics: Metrics,
  options: ServeOptions,
) {
  const { limits, logger } = shared;
  const capacity = readCapacity();
  const { workers, jobMemoryBytes } = planConcurrency(capacity, options.plan);
  const kernel = { program: options.kernelProgram ?? builtKernelProgram(), memoryBytes: jobMemoryBytes };
  const count = options.warmKernels ?? warmKernelCount(capacity);
  const warmKernels = new WarmKernelPool({
    ...kernel,
    count,
    idleTimeoutMs: limits.warmKernelIdleMs,
    warmUpDelayMs: limits.warmUpDelayMs,
  });
  const run = createKernelRunner({
    ...kernel,
    warmPool: warmKernels,
    timeoutMs: limits.operationTimeoutMs,
    onCrash: (stderr) => {
      metrics.countCrash();
      logger.error({ stderr }, 'Kernel process crashed');
    },
  });
  const { faults } = options;
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
    onCompleted: () => sender.wake(),
  });
  logger.info({ workers, jobMemoryBytes, folder: options.dataFolder }, 'Starting');
  return { sender, worker, warmKernels };
}

/**
 * Creates and connects all components of a service on an open store. Nothing runs yet. `isStopping`: whether a stop was
 * requested.
 */
export async function createComponents(
  store: Store,
  spare: SpareFile,
  options: ServeOptions,
  isStopping: () => boolean,
) {
  const shared = await createSharedComponents(store, options);
  const { accounts, tokens, limits, now, monotonicNow } = shared;
  const folder = options.dataFolder;
  const quotas = { quotaBytes: options.quotaBytes, userQuotaBytes: options.userQuotaBytes };
  const storageQuota = new StorageQuota({ ...shared, ...quotas, folder, spare });
  const metrics = createMetrics({ statistics: createStatistics(store), files: shared.files });
  const resultCache = await createCacheIfEnabled(shared, metrics, options);
  const { sender, worker, warmKernels } = createWorkers(shared, { storageQuota, resultCache }, metrics, options);
  const instanceId = randomUUID();
  const app = createApp({
    ...{ ...shared, storageQuota, instanceId, isStopping, metrics, faults: options.faults },
    isTrustedProxy: options.isTrustedProxy,
    publicUrl: options.publicUrl,
    metricsToken: options.metricsToken,
    formBytes: limits.formBytes,
    grant: createGrants({ accounts, tokens, checkLogin: createLoginChecks(limits, monotonicNow), limits, now }),
    onQueued: () => worker.wake(),
    onCancelled: (ids) => {
      worker.abort(ids);
      worker.wake(); // the next one may have waited for one of them
      sender.wake();
    },
    checkReady: async () => {
      await shared.files.totalBytes();
      return (await spare.isFull()) ? 'full' : 'ok';
    },
    isDiskFull: spare.isUsed,
  });
  return { ...shared, storageQuota, sender, worker, warmKernels, app, instanceId };
}

/** All components of a service. */
export type ServiceComponents = Awaited<ReturnType<typeof createComponents>>;
