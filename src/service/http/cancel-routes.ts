import type { FastifyInstance } from 'fastify';
import type { RetentionClock } from '../retention-clock.js';
import type { Cancellations } from '../store/cancellations.js';
import type { Operations } from '../store/operations.js';
import { requireOperation, serializeStatus } from './operation-records.js';

/** The dependencies of the cancel route. */
export interface CancelRouteDependencies {
  operations: Pick<Operations, 'findStatus'>;
  cancellations: Pick<Cancellations, 'cancel'>;
  /** Called with the ids of operations that were cancelled. */
  onCancelled: (ids: readonly string[]) => void;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
}

/** Registers `DELETE /web-api/operation/{id}`. */
export function registerCancelRoutes(app: FastifyInstance, dependencies: CancelRouteDependencies): void {
  const { operations, cancellations, onCancelled, clock, now } = dependencies;

  app.delete<{ Params: { id: string } }>('/web-api/operation/:id', async (request, reply) => {
    const id = request.params.id.toLowerCase();
    const time = { now: now(), retainedFrom: clock.now() };
    if (await cancellations.cancel(id, request.userId, time)) onCancelled([id]);
    const row = requireOperation(await operations.findStatus(id, request.userId), request.params.id);
    return reply.header('content-type', 'application/json; charset=utf-8').send(serializeStatus(row));
  });
}
