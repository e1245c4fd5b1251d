import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../service-error.js';
import { sendRawProblem } from './raw-problem.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether an authenticated request may take any time for its body, as an upload does. Default: false. */
    hasLongBody?: boolean;
  }
}

/**
 * Closes the connection of a request whose body was not received after `timeoutMs`, with `TIMED_OUT` if it has no reply
 * yet. The idle timeout does not end a body that arrives byte by byte.
 */
export function limitBodyTime(request: FastifyRequest, reply: FastifyReply, timeoutMs: number): void {
  const { raw } = request;
  const hasBody = raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return;
  const { socket } = raw;
  const timer = setTimeout(() => {
    if (raw.complete || socket.destroyed) return;
    if (!reply.raw.headersSent && socket.writable) {
      sendRawProblem(socket, new ServiceError('TIMED_OUT', 'Request timeout: the body was not received in time.'));
    }
    socket.destroySoon();
  }, timeoutMs);
  raw.once('close', () => clearTimeout(timer)); // the body has ended, or the connection was closed
}
