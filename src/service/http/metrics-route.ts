import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseAddressFilter } from '../callbacks/address-filter.js';
import type { Metrics } from '../metrics.js';
import { ServiceError } from '../service-error.js';

/** The dependencies of the request metrics and their endpoint. */
export interface MetricsRouteDependencies {
  metrics: Metrics;
}

const isLoopback = parseAddressFilter('loopback');

/** Returns whether a request comes from a program on this machine and was not forwarded by a proxy. */
function isLocalRequest({ socket, headers }: FastifyRequest): boolean {
  return isLoopback(socket.remoteAddress ?? '') && !headers.forwarded && !headers['x-forwarded-for'];
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
