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
import type { Limits } from '../defaults.js';
import { type FaultInjectionDependencies, registerFaultInjection } from '../fault-injection/fault-injection-hooks.js';
import type { Logger } from '../logger.js';
import { ServiceError } from '../service-error.js';
import type { Tokens } from '../store/tokens.js';
import { createAuthHook } from './authenticate.js';
import { type FileRouteDependencies, registerFileRoutes } from './file-routes.js';
import { type MetricsRouteDependencies, registerMetricsRoute } from './metrics-route.js';
import { type OperationRouteDependencies, registerOperationRoutes } from './operation-routes.js';
import { toProblemReply } from './problems.js';
import { RecordedProblem } from './recorded-problem.js';
import { sendContinue } from './send-continue.js';
import { registerServiceRoutes, type ServiceRouteDependencies } from './service-routes.js';
import { registerTokenRoute, type TokenRouteDependencies } from './token-route.js';

/** All that the routes need. */
export interface AppDependencies
  extends FaultInjectionDependencies,
    FileRouteDependencies,
    MetricsRouteDependencies,
    OperationRouteDependencies,
    ServiceRouteDependencies,
    TokenRouteDependencies {
  tokens: Tokens;
  limits: Limits;
  logger: Logger;
  /** Whether the service is stopping: then nothing new is begun. */
  isStopping: () => boolean;
}

/**
 * A refusal is sent before the body was read. The rest is read on for a while, so that a client that writes first and reads then sees why;
 * then the connection is cut.
 */
function drainThenClose(request: FastifyRequest, reply: FastifyReply, afterMs: number): void {
  const { raw } = request;
  if (raw.complete || raw.destroyed) return;
  if (request.headers.expect !== undefined) {
    reply.header('connection', 'close'); // it may send its body, or not: nobody knows where the next request begins
    return;
  }
  raw.resume();
  const timer = setTimeout(() => raw.destroy(), afterMs);
  raw.once('close', () => clearTimeout(timer));
}

function registerErrorHandlers(app: FastifyInstance, limits: Limits): void {
  app.setErrorHandler((error, request, reply) => {
    drainThenClose(request, reply, limits.rejectedUploadDrainMs);
    if (error instanceof RecordedProblem) return reply.code(error.status).send({ errors: [error.entry] });
    const { status, body } = toProblemReply(error);
    if (status === 500) request.log.error({ err: error, url: request.routeOptions.url }, 'a request failed');
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler((request) => {
    throw new ServiceError(
      'ENDPOINT_UNKNOWN',
      `there is no ${request.method} ${request.url.split('?')[0]?.slice(0, 120)} here`,
    );
  });
}

// What Node's parser tells of a request that never became one.
const PARSER_ERRORS: Record<string, [line: string, error: ServiceError]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    new ServiceError('HEADERS_TOO_LARGE', 'the headers are too large'),
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    new ServiceError('TIMED_OUT', 'the request did not arrive in time'),
  ],
};

/** Answers what is no HTTP in the same form as everything else, and ends the connection. */
function replyToParserError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [line, problem] = PARSER_ERRORS[error.code ?? ''] ?? [
    '400 Bad Request',
    new ServiceError('REQUEST_INVALID', 'the request is no valid HTTP'),
  ];
  const body = JSON.stringify(toProblemReply(problem).body);
  const head = `HTTP/1.1 ${line}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
}

/** The whole HTTP side, not yet listening. Paths match without regard to case; every error has the form of section W12. */
export function createApp(dependencies: AppDependencies): FastifyInstance {
  const { limits, logger } = dependencies;
  const loggerInstance: FastifyBaseLogger = logger; // fastify's own name for it: with pino's, no plug-in fits its type
  const app = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.jsonBytes,
    requestTimeout: 0, // a slow upload may take hours; one that stands still does not
    connectionTimeout: limits.idleTimeoutMs,
    return503OnClosing: false, // the hook below answers in our own form
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
      return reply.code(status).send(body);
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  });
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', request, response);
  });
  registerErrorHandlers(app, limits);
  // Where nothing takes a body, none is read: what is wrong with it does not matter.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.decorateRequest('userId', '');
  app.addHook('onRequest', async () => {
    if (dependencies.isStopping())
      throw new ServiceError('STOPPING', 'the service is stopping: ask again when it is back');
  });

  registerMetricsRoute(app, dependencies);
  registerFaultInjection(app, dependencies);

  const continueBeforeBody = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    sendContinue(request, reply);
  const authenticate = createAuthHook(dependencies.tokens, dependencies.now);
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
    scope.addHook('preParsing', continueBeforeBody);
    registerOperationRoutes(scope, dependencies);
  });
  return app;
}
