import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { WebSessions } from '../auth/web-sessions.js';
import type { Limits } from '../defaults.js';
import { type FaultInjectionDependencies, registerFaultInjection } from '../fault-injection/fault-injection-hooks.js';
import type { Logger } from '../logger.js';
import { ServiceError } from '../service-error.js';
import type { Tokens } from '../store/tokens.js';
import { createAuthHook } from './authenticate.js';
import { type CancelRouteDependencies, registerCancelRoutes } from './cancel-routes.js';
import { type FileRouteDependencies, registerFileRoutes } from './file-routes.js';
import { registerFrontPageRoute } from './front-page-route.js';
import { limitBodyTime } from './limit-body-time.js';
import { limitConnections } from './limit-connections.js';
import { type ListRouteDependencies, registerListRoutes } from './list-routes.js';
import { countRequests, type MetricsRouteDependencies, registerMetricsRoute } from './metrics-route.js';
import { type OperationRouteDependencies, registerOperationRoutes } from './operation-routes.js';
import { toProblemReply } from './problems.js';
import { createProxyFilter, type PublicAddress } from './public-address.js';
import { sendRawProblem } from './raw-problem.js';
import { RecordedProblem } from './recorded-problem.js';
import { validateRequests, WITHOUT_COMPILERS } from './request-validation.js';
import { sendContinue } from './send-continue.js';
import { registerServiceRoutes, type ServiceRouteDependencies } from './service-routes.js';
import { registerStatusRoute } from './status-route.js';
import { registerTokenRoute, type TokenRouteDependencies } from './token-route.js';
import { createSessionAuthentication } from './web/authenticate-session.js';
import { registerWeb, type WebDependencies } from './web/register-web.js';

/** The dependencies of all routes. */
export interface AppDependencies
  extends CancelRouteDependencies,
    FaultInjectionDependencies,
    FileRouteDependencies,
    ListRouteDependencies,
    MetricsRouteDependencies,
    OperationRouteDependencies,
    PublicAddress,
    ServiceRouteDependencies,
    TokenRouteDependencies,
    Omit<WebDependencies, 'webSessions' | 'lists'> {
  /** The sessions of the page. Default: there is no page. */
  web?: WebSessions | undefined;
  tokens: Tokens;
  limits: Limits;
  logger: Logger;
  /** The port of `GET /metrics`. Default: that of this app. */
  metricsPort?: number | undefined;
  /** Returns whether the service is stopping. New requests are then refused. */
  isStopping: () => boolean;
}

/**
 * Drains the rest of a rejected request body for at most `afterMs`, then closes the connection. Without draining, a
 * client that writes its whole body before it reads would see a connection reset instead of the refusal.
 */
function drainThenClose(request: FastifyRequest, reply: FastifyReply, afterMs: number): void {
  const { raw } = request;
  if (raw.complete || raw.destroyed) return;
  if (request.headers.expect !== undefined) {
    reply.header('connection', 'close'); // the body may follow or not, so the next request has no defined start
    return;
  }
  raw.resume();
  const timer = setTimeout(() => raw.destroy(), afterMs);
  raw.once('close', () => clearTimeout(timer));
}

// Another process behind the balancer can reply at once; one on its own restarts within about a second.
const STOPPING_RETRY_S = 1;

/** The headers of all replies. */
const COMMON_HEADERS = { 'x-content-type-options': 'nosniff' };

/** Has an app reply to every error with a `Problem`. */
export function registerErrorHandlers(app: FastifyInstance, limits: Limits): void {
  app.setErrorHandler((error, request, reply) => {
    drainThenClose(request, reply, limits.rejectedUploadDrainMs);
    reply.headers(COMMON_HEADERS); // a download that failed has removed them
    if (error instanceof RecordedProblem) return reply.code(error.status).send({ errors: [error.entry] });
    const { status, body } = toProblemReply(error);
    if (error instanceof ServiceError && error.retryAfterS !== undefined) {
      reply.header('retry-after', String(error.retryAfterS));
    }
    if (status === 500) request.log.error({ err: error, url: request.routeOptions.url }, 'Request failed');
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler((request) => {
    throw new ServiceError(
      'ENDPOINT_UNKNOWN',
      `No such endpoint: ${request.method} ${request.url.split('?')[0]?.slice(0, 120)}.`,
    );
  });
}

// Errors of Node's HTTP parser, which reach no route.
const PARSER_ERRORS: Record<string, ServiceError> = {
  HPE_HEADER_OVERFLOW: new ServiceError('HEADERS_TOO_LARGE', 'Request headers too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new ServiceError('TIMED_OUT', 'Request timeout: the request was not received in time.'),
};

/**
 * Replies to a request that is not valid HTTP with a problem body like every other error, then closes the connection.
 */
function replyToParserError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  sendRawProblem(
    socket,
    PARSER_ERRORS[error.code ?? ''] ?? new ServiceError('REQUEST_INVALID', 'Invalid HTTP request.'),
  );
}

/**
 * Creates the HTTP application, not yet listening. Paths are case-insensitive; the body of every error is a `Problem`.
 */
export function createApp(dependencies: AppDependencies): FastifyInstance {
  const { limits, logger } = dependencies;
  const loggerInstance: FastifyBaseLogger = logger; // fastify's type: with pino's, plug-in types do not match
  const app = fastify({
    loggerInstance,
    trustProxy: createProxyFilter(dependencies),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.jsonBytes,
    requestTimeout: 0, // a slow upload may take hours; a stalled one ends by connectionTimeout
    connectionTimeout: limits.idleTimeoutMs,
    http: { headersTimeout: limits.headersTimeoutMs, connectionsCheckingInterval: limits.headersTimeoutMs / 4 },
    return503OnClosing: false, // the onRequest hook below replies with a problem body
    forceCloseConnections: false,
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: 500,
    },
    clientErrorHandler: replyToParserError,
    frameworkErrors: (error, _request, reply: FastifyReply) => {
      const { status, body } = toProblemReply(error);
      return reply.code(status).headers(COMMON_HEADERS).send(body);
    },
    schemaController: WITHOUT_COMPILERS,
  });
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', request, response);
  });
  limitConnections(app.server, limits.maxConnections, dependencies.isTrustedProxy);
  registerErrorHandlers(app, limits);
  validateRequests(app);
  // Routes without a body parser ignore the body, even a malformed one.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.decorateRequest('userId', '');
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(COMMON_HEADERS);
    if (!request.routeOptions.config?.hasLongBody) limitBodyTime(request, reply, limits.bodyTimeoutMs);
    if (dependencies.isStopping())
      throw new ServiceError('STOPPING', 'The service is stopping. Retry later.', { retryAfterS: STOPPING_RETRY_S });
  });

  countRequests(app, dependencies.metrics);
  if (dependencies.metricsPort === undefined) registerMetricsRoute(app, dependencies);
  registerFaultInjection(app, dependencies);

  const continueBeforeBody = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    sendContinue(request, reply);
  const { web } = dependencies;
  const sessions = web && { ...dependencies, webSessions: web };
  const authenticate = createAuthHook(
    dependencies.tokens,
    dependencies.now,
    sessions && createSessionAuthentication(sessions),
  );
  app.register(async (scope) => (sessions ? registerWeb(scope, sessions) : registerFrontPageRoute(scope)));
  app.register(async (scope) => registerServiceRoutes(scope, dependencies));
  app.register(async (scope) => {
    scope.addHook('preParsing', continueBeforeBody);
    registerTokenRoute(scope, dependencies);
  });
  app.register(async (scope) => {
    scope.addHook('onRequest', authenticate);
    registerFileRoutes(scope, dependencies);
  });
  app.register(async (scope) => {
    scope.addHook('onRequest', authenticate);
    registerCancelRoutes(scope, dependencies);
    registerListRoutes(scope, dependencies);
  });
  app.register(async (scope) => {
    scope.addHook('onRequest', authenticate);
    scope.addHook('preParsing', continueBeforeBody);
    registerOperationRoutes(scope, dependencies);
  });
  app.register(async (scope) => registerStatusRoute(scope, { ...dependencies, authenticate }));
  return app;
}
