import type { FastifyInstance } from 'fastify';
import { hashSecret } from '../auth/secrets.js';
import type { Operations, StatusRow } from '../store/operations.js';
import { type AuthHook, readBearerToken } from './authenticate.js';
import { requireOperation, serializeStatus } from './operation-records.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation of a status request; null on other routes, and if there is none. */
    statusRow: StatusRow | null;
  }
}

/** The dependencies of the status route. */
export interface StatusRouteDependencies {
  operations: Pick<Operations, 'findStatus' | 'findStatusByToken'>;
  authenticate: AuthHook;
  now: () => number;
}

interface StatusParams {
  id: string;
}

/**
 * Registers the status of an operation. Most requests are for it, so one query checks the token and finds the operation.
 * Only if it finds none, the request is authenticated as others are, and a session may have the operation.
 */
export function registerStatusRoute(
  app: FastifyInstance,
  { operations, authenticate, now }: StatusRouteDependencies,
): void {
  app.decorateRequest('statusRow', null);
  app.get<{ Params: StatusParams }>(
    '/web-api/operation/:id/status',
    {
      onRequest: async (request, reply) => {
        const token = readBearerToken(request);
        const hash = token && hashSecret(token);
        const row = hash && (await operations.findStatusByToken(hash, request.params.id.toLowerCase(), now()));
        if (row) request.statusRow = row;
        else await authenticate(request, reply);
      },
    },
    async ({ params, statusRow, userId }, reply) => {
      const row = requireOperation(
        statusRow ?? (await operations.findStatus(params.id.toLowerCase(), userId)),
        params.id,
      );
      return reply.header('content-type', 'application/json; charset=utf-8').send(serializeStatus(row));
    },
  );
}
