import { randomUUID } from 'node:crypto';
import { createGrants } from './auth/grant.js';
import { createLoginChecks } from './auth/login-checks.js';
import { createSecret } from './auth/secrets.js';
import { createUserFinder } from './auth/user-by-password.js';
import { createWebSessions } from './auth/web-sessions.js';
import { openBlobFolder } from './blobs/blob-folder.js';
import type { SpareFile } from './blobs/spare-file.js';
import { StorageQuota } from './blobs/storage-quota.js';
import { createWorkers } from './components/create-workers.js';
import type { ApiOptions, WorkerOptions } from './components/options.js';
import { createSharedComponents } from './components/shared-components.js';
import { writeAccountsFile } from './data-folder/accounts-file.js';
import { accountsPath } from './data-folder/data-folder.js';
import { LIMITS } from './defaults.js';
import { createApp } from './http/app.js';
import { createMetrics } from './metrics.js';
import { startRetentionClock } from './retention-clock.js';
import { createCallbacks } from './store/callbacks.js';
import type { Store } from './store/database.js';
import { createJobQueue } from './store/job-queue.js';
import { createOperations } from './store/operations.js';
import { createRetentionTimes } from './store/retention-times.js';
import { createScrubPosition } from './store/scrub-position.js';
import { createStatistics } from './store/statistics.js';

/** The options of a service. */
export interface ServeOptions extends ApiOptions, WorkerOptions {
  /** Holds all data. Only one service at a time can use it. */
  dataFolder: string;
  /** Returns the time in ms since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Returns a time in ms that changes of the system clock do not affect. Default: `performance.now`. */
  monotonicNow?: () => number;
}

/** Creates what a service on one machine stores its data with. */
async function createLocalBackend(store: Store, options: ServeOptions) {
  const now = options.now ?? Date.now;
  const monotonicNow = options.monotonicNow ?? (() => performance.now());
  const queue = createJobQueue(store, { ...LIMITS, ...options.limits });
  return {
    store,
    queue,
    operations: createOperations(store, queue),
    callbacks: createCallbacks(store, now),
    blobs: await openBlobFolder(options.dataFolder),
    scrubPosition: createScrubPosition(store),
    clock: await startRetentionClock({ times: createRetentionTimes(store), now, monotonicNow }),
    now,
    monotonicNow,
    createId: () => randomUUID(),
    onAccountsChanged: () => writeAccountsFile(accountsPath(options.dataFolder), store),
  };
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
  const shared = createSharedComponents(await createLocalBackend(store, options), options);
  const { accounts, tokens, limits, now, monotonicNow } = shared;
  const folder = options.dataFolder;
  const quotas = { quotaBytes: options.quotaBytes, userQuotaBytes: options.userQuotaBytes };
  const storageQuota = new StorageQuota({ ...shared, ...quotas, folder, spare });
  const statistics = createStatistics(store);
  const metrics = createMetrics({ ...shared, statistics });
  const { worker, sender, warmKernels } = await createWorkers(shared, { storageQuota, metrics, folder }, options);
  const instanceId = randomUUID();
  const identityKey = createSecret();
  const findUserByPassword = createUserFinder(accounts, createLoginChecks(limits, monotonicNow), options.passwordCost);
  const web = options.hasWebPage
    ? createWebSessions({ ...shared, findUserByPassword, passwordCost: options.passwordCost })
    : undefined;
  const app = createApp({
    ...{ ...shared, storageQuota, instanceId, identityKey, isStopping, metrics, faults: options.faults },
    isTrustedProxy: options.isTrustedProxy,
    publicUrl: options.publicUrl,
    metricsToken: options.metricsToken,
    metricsPort: options.metricsPort,
    passwordCost: options.passwordCost,
    formBytes: limits.formBytes,
    grants: createGrants({ accounts, tokens, findUserByPassword, limits, now }),
    web,
    statistics,
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
  return { ...shared, storageQuota, metrics, sender, worker, warmKernels, app, instanceId, identityKey, web };
}

/** All components of a service. */
export type ServiceComponents = Awaited<ReturnType<typeof createComponents>>;
