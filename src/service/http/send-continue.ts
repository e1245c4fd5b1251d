import type { FastifyReply, FastifyRequest } from 'fastify';

/** Tells a client that asked first (`Expect: 100-continue`) to send its body now. Until then it can be refused without it. */
export function sendContinue(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
}
