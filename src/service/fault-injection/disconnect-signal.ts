import type { FastifyRequest } from 'fastify';

/** Aborted when the client of a request went away. */
export function createDisconnectSignal({ raw }: FastifyRequest): AbortSignal {
  const ending = new AbortController();
  raw.socket.once('close', () => ending.abort());
  return ending.signal;
}
