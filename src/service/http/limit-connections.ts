import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../service-error.js';
import { sendRawProblem } from './raw-problem.js';

// Connections that are refused with a reply at the same time. Further ones are closed at once.
const MAX_REFUSED = 100;

// How long a refused client has to read the reply.
const REFUSAL_MS = 1000;

function refuse(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), REFUSAL_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => undefined); // the client has left
  socket.resume(); // with unread bytes, closing would discard the reply
  sendRawProblem(socket, new ServiceError('TOO_MANY_CONNECTIONS', 'Too many connections. Retry later.'));
}

/**
 * Limits the open connections of a server, also those at its further addresses. Further ones get 503 with
 * `Retry-After`, whatever they request.
 */
export function limitConnections(server: Server, max: number): void {
  const handlers = server.listeners('connection');
  server.removeAllListeners('connection');
  let open = 0;
  let refused = 0;
  server.on('connection', (socket: Socket) => {
    if (open >= max) {
      refused += 1;
      socket.once('close', () => {
        refused -= 1;
      });
      if (refused > MAX_REFUSED) socket.destroy();
      else refuse(socket);
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    for (const handler of handlers) handler.call(server, socket);
  });
}
