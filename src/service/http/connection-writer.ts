import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/** Thrown because the client closed the connection. */
export class DisconnectError extends Error {
  override readonly name = 'DisconnectError';
}

/**
 * Writes bytes to a connection. Returns nothing if the system has taken all of them. Otherwise the returned promise
 * resolves then, or rejects with `DisconnectError`. Until then the bytes must not change. Throws `DisconnectError`.
 */
export type ConnectionWriter = (data: Buffer) => Promise<void> | undefined;

/** Resolves with the connection of a reply. Pipelined replies have none until the one before has ended. */
async function findSocket({ raw }: FastifyReply): Promise<Socket> {
  if (raw.socket) return raw.socket;
  if (raw.destroyed) throw new DisconnectError('The connection was closed.');
  return new Promise((resolve, reject) => {
    raw.once('socket', resolve);
    raw.once('close', () => reject(new DisconnectError('The connection was closed.')));
  });
}

/**
 * Creates a writer to the connection of a reply, past the HTTP layer, which would delay each write to the next tick.
 * Rejects with `DisconnectError`.
 */
export async function createConnectionWriter(reply: FastifyReply): Promise<ConnectionWriter> {
  const { raw } = reply;
  const socket = await findSocket(reply);
  let issued = 0;
  let written = 0;
  let resolveAll = (): void => undefined;
  let rejectAll = (_error: Error): void => undefined;
  const onWritten = (error?: Error | null): void => {
    written += 1;
    if (error) rejectAll(new DisconnectError(error.message, { cause: error }));
    else if (written === issued) resolveAll();
  };
  // Queued writes get no callback if the connection closes.
  raw.once('close', () => rejectAll(new DisconnectError('The connection was closed.')));
  return (data) => {
    if (raw.closed || socket.destroyed) throw new DisconnectError('The connection was closed.');
    issued += 1;
    socket.write(data, onWritten);
    if (socket.writableLength === 0) return undefined;
    return new Promise((resolve, reject) => {
      [resolveAll, rejectAll] = [resolve, reject];
    });
  };
}
