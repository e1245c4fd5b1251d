import type { FastifyRequest } from 'fastify';

/** Creates a signal that is aborted when the client of a request disconnects. */
export function createDisconnectSignal({ raw }: FastifyRequest): AbortSignal {
  const controller = new AbortController();
  raw.socket.once('close', () => controller.abort());
  return controller.signal;
}
