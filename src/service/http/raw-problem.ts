import type { Socket } from 'node:net';
import type { ServiceError } from '../service-error.js';
import { toProblemReply } from './problems.js';

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};

/** Writes a problem to a connection without a request that a route could reply to, and ends the connection. */
export function sendRawProblem(socket: Socket, problem: ServiceError): void {
  const { status, body } = toProblemReply(problem);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...(status === 503 ? ['Retry-After: 1'] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
