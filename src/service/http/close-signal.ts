import type { FastifyReply } from 'fastify';

/** Returns a signal that is aborted when the connection of a reply is closed. */
export function createCloseSignal({ raw }: FastifyReply): AbortSignal {
  const closing = new AbortController();
  raw.once('close', () => closing.abort(new Error('The connection was closed.')));
  return closing.signal;
}
