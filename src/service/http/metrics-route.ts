import type { FastifyInstance, FastifyRequest } from 'fastify';
import { timingSafeEqualStrings } from '../auth/secrets.js';
import { isLoopback } from '../callbacks/address-filter.js';
import type { Metrics } from '../metrics.js';
import { ServiceError } from '../service-error.js';
import { readBearerToken } from './authenticate.js';

/** The dependencies of the request metrics and their endpoint. */
export interface MetricsRouteDependencies {
  metrics: Metrics;
  /** The token that `GET /metrics` requires. Default: it needs none, and replies to programs on this machine only. */
  metricsToken?: string | undefined;
}

/** Counts every request to an app. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.countRequest(request.method, route, reply.statusCode, reply.elapsedTime);
  });
}

// A proxy sets at least one of them.
const FORWARDING_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];

/**
 * Returns whether a request names this machine by its loopback address or as localhost. A page in a browser can have a
 * name that resolves to 127.0.0.1 (DNS rebinding), and could otherwise read the reply. The host that a plain TCP proxy on
 * this machine passes on has the public name or address.
 */
function isAddressedDirectly({ hostname }: FastifyRequest): boolean {
  return hostname === 'localhost' || isLoopback(hostname);
}

/** Returns whether a request comes from a program on this machine and was not forwarded by a proxy. */
function isLocalRequest(request: FastifyRequest): boolean {
  const { socket, headers } = request;
  const isForwarded = FORWARDING_HEADERS.some((name) => headers[name] !== undefined);
  return isLoopback(socket.remoteAddress ?? '') && !isForwarded && isAddressedDirectly(request);
}

/**
 * Registers `GET /metrics`: for those who have the metrics token or, if there is none, for
 * programs on this machine. All others get 404.
 */
export function registerMetricsRoute(app: FastifyInstance, { metrics, metricsToken }: MetricsRouteDependencies): void {
  const isAllowed = (request: FastifyRequest): boolean =>
    metricsToken === undefined
      ? isLocalRequest(request)
      : timingSafeEqualStrings(readBearerToken(request) ?? '', metricsToken);

  app.get('/metrics', async (request, reply) => {
    if (!isAllowed(request)) throw new ServiceError('ENDPOINT_UNKNOWN', 'No such endpoint: GET /metrics.');
    return reply.header('content-type', metrics.contentType).send(await metrics.text());
  });
}
