import { randomUUID } from 'node:crypto';
import { createWorkers } from '../components/create-workers.js';
import type { WorkerOptions } from '../components/options.js';
import { createSharedComponents } from '../components/shared-components.js';
import { formatBaseUrl } from '../http/format-base-url.js';
import { createListener } from '../http/listener.js';
import { stopListening } from '../http/stop-listening.js';
import { createWorkerApp } from '../http/worker-app.js';
import { planConcurrency, readCapacity } from '../machine/capacity.js';
import { createCleanup } from '../machine/cleanup.js';
import { createMetrics } from '../metrics.js';
import { createRunningService, type RunningService } from '../running-service.js';
import { ServiceError } from '../service-error.js';
import { createScrubTurns } from '../store/postgres/scrub-turns.js';
import { maintainQueue } from '../store/shared/maintain-queue.js';
import { createStatistics } from '../store/statistics.js';
import { createStorageQuota } from './create-storage-quota.js';
import { startMaintenance } from './maintenance.js';
import { type DatabaseBackend, type DatabaseModeOptions, openBackend } from './open-backend.js';
import { startPolling } from './start-polling.js';
import { startScrubbing } from './start-scrubbing.js';
import { countWorkerConnections } from './worker-connections.js';

/** The options of a worker process. */
export interface RunWorkerOptions extends WorkerOptions, DatabaseModeOptions {
  /** How long running operations may take after a stop was requested, in ms. The others are released then. */
  drainTimeoutMs: number;
  scratch: NonNullable<DatabaseModeOptions['scratch']>;
}

// A claim has to be renewed within the heartbeat of its job, 10 s. This also bounds the time until a cancellation reaches
// a running operation.
const RENEWAL_INTERVAL_MS = 2000;

async function createComponents(backend: DatabaseBackend, options: RunWorkerOptions) {
  const limits = { ...options.limits, cancellationCheckMs: RENEWAL_INTERVAL_MS };
  const shared = createSharedComponents(backend, { ...options, limits });
  const storageQuota = createStorageQuota(shared, options);
  const scrubbed = { count: 0 };
  const countScrubbedFiles = (): number => scrubbed.count;
  const metrics = createMetrics({ ...shared, statistics: createStatistics(shared.store), countScrubbedFiles });
  const workers = await createWorkers(shared, { storageQuota, metrics, folder: options.scratch.folder }, options);
  return { ...shared, ...workers, storageQuota, metrics, scrubbed };
}

/**
 * Starts a worker process of a service on many machines: it runs operations, sends callbacks, and does the maintenance.
 * Throws like `openBackend`, or the system error of a port that cannot be used. After an error nothing is left running.
 */
export async function runWorker(options: RunWorkerOptions): Promise<RunningService> {
  const { logger, host, port, metricsToken, drainTimeoutMs } = options;
  const cleanup = createCleanup();
  let isStopping = false;
  try {
    const { workers } = planConcurrency(readCapacity(), options.plan);
    const database = { maxConnections: countWorkerConnections(workers), ...options.database };
    const backend = await openBackend({ ...options, database });
    cleanup.add(backend.close);
    const { worker, sender, warmKernels, metrics, limits, ...shared } = await createComponents(backend, options);
    cleanup.add(() => warmKernels.close());
    const instanceId = randomUUID();
    const checkReady = async (): Promise<'ok'> => {
      if (isStopping) throw new ServiceError('STOPPING', 'The worker is stopping.');
      await shared.files.totalBytes();
      return 'ok';
    };
    const app = createWorkerApp({ instanceId, metrics, metricsToken, checkReady, limits, logger });
    const listener = createListener(app);
    cleanup.add(() => stopListening(listener, { app, limits }));
    const baseUrl = formatBaseUrl(host, await listener.listen(host, port));
    const ends = [() => worker.close(), () => sender.close()];
    cleanup.add(() => Promise.all(ends.map((end) => end()))); // at once: operations are released while a task ends
    await backend.boss.start();
    const purge = (signal: AbortSignal) => shared.storageQuota.purgeExpired(signal);
    const maintain = (signal: AbortSignal) => maintainQueue(backend, signal);
    const tasks = [backend.updateAccountsObject, purge, maintain, backend.removeObjects];
    ends.push(startMaintenance({ boss: backend.boss, intervalMs: limits.sweepIntervalMs, tasks, logger }));
    const onChecked = (): void => {
      shared.scrubbed.count += 1;
    };
    ends.push(startScrubbing({ ...shared, limits, logger, turns: createScrubTurns(backend.store), onChecked }));
    cleanup.add(startPolling(worker, sender));
    const stop = async (): Promise<void> => {
      isStopping = true;
      await worker.drain(drainTimeoutMs);
      await cleanup.run();
    };
    return createRunningService({ baseUrl, instanceId, logger, stop });
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}
