import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sends 100 Continue to a client that waits for it (`Expect: 100-continue`; RFC 9110, section 10.1.1). Before this call
 * a request can be refused without receiving its body.
 */
export function sendContinue(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
}
