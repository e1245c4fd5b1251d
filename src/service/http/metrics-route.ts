import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseAddressFilter } from '../callbacks/address-filter.js';
import type { Metrics } from '../metrics.js';
import { ServiceError } from '../service-error.js';

/** What counting requests and telling of them needs. */
export interface MetricsRouteDependencies {
  metrics: Metrics;
}

const isLoopback = parseAddressFilter('loopback');

/** Whether a program on this machine asks for itself, and not a proxy for somebody else. */
function isLocalRequest({ socket, headers }: FastifyRequest): boolean {
  return isLoopback(socket.remoteAddress ?? '') && !headers.forwarded && !headers['x-forwarded-for'];
}

/** Counts every request, and answers `/metrics` to programs on this machine; to all others there is no such thing. */
export function registerMetricsRoute(app: FastifyInstance, { metrics }: MetricsRouteDependencies): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.countRequest(request.method, route, reply.statusCode, reply.elapsedTime);
  });

  app.get('/metrics', async (request, reply) => {
    if (!isLocalRequest(request)) throw new ServiceError('ENDPOINT_UNKNOWN', 'there is no GET /metrics here');
    return reply.header('content-type', metrics.contentType).send(await metrics.text());
  });
}
