import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseAddressFilter } from '../callbacks/address-filter.js';
import type { Metrics } from '../metrics.js';
import { ServiceError } from '../service-error.js';

/** The dependencies of the request metrics and their endpoint. */
export interface MetricsRouteDependencies {
  metrics: Metrics;
}

const isLoopback = parseAddressFilter('loopback');

/**
 * Returns whether a request names this machine by an IP address or as localhost. A page in a browser can have a name that
 * resolves to 127.0.0.1 (DNS rebinding), and could otherwise read the reply.
 */
function isAddressedDirectly({ hostname }: FastifyRequest): boolean {
  return hostname === 'localhost' || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** Returns whether a request comes from a program on this machine and was not forwarded by a proxy. */
function isLocalRequest(request: FastifyRequest): boolean {
  const { socket, headers } = request;
  const isForwarded = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  return isLoopback(socket.remoteAddress ?? '') && !isForwarded && isAddressedDirectly(request);
}

/** Counts every request, and registers `GET /metrics` for programs on this machine. All others get 404. */
export function registerMetricsRoute(app: FastifyInstance, { metrics }: MetricsRouteDependencies): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.countRequest(request.method, route, reply.statusCode, reply.elapsedTime);
  });

  app.get('/metrics', async (request, reply) => {
    if (!isLocalRequest(request)) throw new ServiceError('ENDPOINT_UNKNOWN', 'No such endpoint: GET /metrics.');
    return reply.header('content-type', metrics.contentType).send(await metrics.text());
  });
}
