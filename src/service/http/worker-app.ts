import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import { registerErrorHandlers } from './app.js';
import { limitConnections } from './limit-connections.js';
import { countRequests, type MetricsRouteDependencies, registerMetricsRoute } from './metrics-route.js';
import { WITHOUT_COMPILERS } from './request-validation.js';
import { type HealthRouteDependencies, registerHealthRoutes } from './service-routes.js';

/** The dependencies of a worker's application. */
export interface WorkerAppDependencies extends HealthRouteDependencies, MetricsRouteDependencies {
  limits: Limits;
  logger: Logger;
}

/** Creates the HTTP application of a worker, not yet listening: `/healthz`, `/readyz` and `/metrics`. */
export function createWorkerApp(dependencies: WorkerAppDependencies): FastifyInstance {
  const { limits, logger } = dependencies;
  const loggerInstance: FastifyBaseLogger = logger; // fastify's type: with pino's, plug-in types do not match
  const app = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.jsonBytes,
    connectionTimeout: limits.idleTimeoutMs,
    requestTimeout: limits.bodyTimeoutMs,
    schemaController: WITHOUT_COMPILERS,
  });
  limitConnections(app.server, limits.maxConnections);
  registerErrorHandlers(app, limits);
  countRequests(app, dependencies.metrics);
  registerMetricsRoute(app, dependencies);
  registerHealthRoutes(app, dependencies);
  return app;
}
