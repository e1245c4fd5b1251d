import { type FastifyBaseLogger, fastify, LogController } from 'fastify';
import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import { registerErrorHandlers } from './app.js';
import { formatBaseUrl } from './format-base-url.js';
import { limitConnections } from './limit-connections.js';
import { createListener } from './listener.js';
import { type MetricsRouteDependencies, registerMetricsRoute } from './metrics-route.js';
import { WITHOUT_COMPILERS } from './request-validation.js';
import { stopListening } from './stop-listening.js';

/** The dependencies of `serveMetrics`. */
export interface ServeMetricsDependencies extends MetricsRouteDependencies {
  host: string;
  /** 0: any free port. */
  port: number;
  limits: Limits;
  logger: Logger;
}

/** The metrics on a port of their own. */
export interface MetricsServer {
  baseUrl: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics`, and nothing else, on a port that the clients of the API cannot reach. Throws
 * `ADDRESS_UNAVAILABLE`.
 */
export async function serveMetrics(dependencies: ServeMetricsDependencies): Promise<MetricsServer> {
  const { host, port, limits, logger } = dependencies;
  const loggerInstance: FastifyBaseLogger = logger; // fastify's type: with pino's, plug-in types do not match
  const app = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    connectionTimeout: limits.idleTimeoutMs,
    requestTimeout: limits.bodyTimeoutMs,
    schemaController: WITHOUT_COMPILERS,
  });
  limitConnections(app.server, limits.maxConnections);
  registerErrorHandlers(app, limits);
  registerMetricsRoute(app, dependencies);
  const listener = createListener(app);
  const close = (): Promise<void> => stopListening(listener, { app, limits });
  try {
    const baseUrl = formatBaseUrl(host, await listener.listen(host, port, '--metrics-port'));
    logger.info({ baseUrl }, 'Serving the metrics');
    return { baseUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Serves the metrics as `serveMetrics`, if they have a port. Resolves with `undefined` if not. */
export async function serveMetricsIfSeparate(
  {
    host,
    metricsPort,
    metricsToken,
  }: { host: string; metricsPort?: number | undefined; metricsToken?: string | undefined },
  dependencies: Pick<ServeMetricsDependencies, 'metrics' | 'limits' | 'logger'>,
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  return serveMetrics({ ...dependencies, host, port: metricsPort, metricsToken });
}
