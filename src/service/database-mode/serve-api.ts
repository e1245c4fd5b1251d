import { randomUUID } from 'node:crypto';
import { createGrants } from '../auth/grant.js';
import { createLoginChecks } from '../auth/login-checks.js';
import { createUserFinder } from '../auth/user-by-password.js';
import { createWebSessions } from '../auth/web-sessions.js';
import type { ApiOptions } from '../components/options.js';
import { createSharedComponents } from '../components/shared-components.js';
import { createApp } from '../http/app.js';
import { formatBaseUrl } from '../http/format-base-url.js';
import { createListener } from '../http/listener.js';
import { serveMetricsIfSeparate } from '../http/serve-metrics.js';
import { stopListening } from '../http/stop-listening.js';
import { createCleanup } from '../machine/cleanup.js';
import { delay } from '../machine/delay.js';
import { createMetrics } from '../metrics.js';
import { createRunningService, type RunningService } from '../running-service.js';
import { ServiceError } from '../service-error.js';
import { createSharedLoginAttempts } from '../store/postgres/login-attempts.js';
import { createStatistics } from '../store/statistics.js';
import { createStorageQuota } from './create-storage-quota.js';
import { type DatabaseBackend, type DatabaseModeOptions, openBackend } from './open-backend.js';

/** The options of an API process. */
export interface ServeApiOptions extends ApiOptions, DatabaseModeOptions {
  /** How long requests are served after a stop was requested, while `/readyz` replies 503, in ms. */
  drainDelayMs: number;
}

/** Whether a stop was requested, and whether requests are refused for it. */
interface Stopping {
  isDraining: boolean;
  isStopping: boolean;
}

function createApiApp(backend: DatabaseBackend, options: ServeApiOptions, stopping: Stopping) {
  const shared = createSharedComponents(backend, options);
  const { accounts, tokens, limits, now, monotonicNow, files } = shared;
  const statistics = createStatistics(shared.store);
  const metrics = createMetrics({ ...shared, statistics });
  const instanceId = randomUUID();
  const checkLogin = createLoginChecks(limits, monotonicNow, createSharedLoginAttempts(backend.store, limits));
  const findUserByPassword = createUserFinder(accounts, checkLogin, options.passwordCost);
  const web = options.hasWebPage
    ? createWebSessions({ ...shared, findUserByPassword, passwordCost: options.passwordCost })
    : undefined;
  const app = createApp({
    ...{ ...shared, storageQuota: createStorageQuota(shared, options), instanceId, metrics, faults: options.faults },
    isStopping: () => stopping.isStopping,
    isTrustedProxy: options.isTrustedProxy,
    publicUrl: options.publicUrl,
    metricsToken: options.metricsToken,
    metricsPort: options.metricsPort,
    passwordCost: options.passwordCost,
    formBytes: limits.formBytes,
    grants: createGrants({ accounts, tokens, findUserByPassword, limits, now }),
    web,
    statistics,
    onQueued: () => undefined, // workers look at the queue regularly, and renew their claims
    onCancelled: () => undefined,
    checkReady: async () => {
      if (stopping.isDraining) throw new ServiceError('STOPPING', 'The service is stopping. Retry later.');
      await files.totalBytes();
      return 'ok';
    },
    isDiskFull: () => Promise.resolve(false),
  });
  return { app, limits, metrics, logger: options.logger, instanceId, web };
}

/**
 * Starts an API process of a service on many machines: it needs no disk and runs no operation. Throws like `openBackend`, or
 * the system error of a port that cannot be used. After an error nothing is left running.
 */
export async function serveApi(options: ServeApiOptions): Promise<RunningService> {
  const { logger, host, port, drainDelayMs } = options;
  const stopping: Stopping = { isDraining: false, isStopping: false };
  const cleanup = createCleanup();
  try {
    const backend = await openBackend(options);
    cleanup.add(backend.close);
    const { instanceId, web, ...api } = createApiApp(backend, options, stopping);
    const listener = createListener(api.app);
    cleanup.add(() => stopListening(listener, api));
    const metricsServer = await serveMetricsIfSeparate(options, api);
    if (metricsServer) cleanup.add(metricsServer.close);
    const baseUrl = formatBaseUrl(host, await listener.listen(host, port));
    const stop = async (): Promise<void> => {
      stopping.isDraining = true;
      await delay(drainDelayMs, new AbortController().signal);
      stopping.isStopping = true;
      await cleanup.run();
    };
    return createRunningService({ baseUrl, instanceId, metricsServer, web, logger, stop });
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}
