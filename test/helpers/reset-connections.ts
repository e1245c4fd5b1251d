import type { Socket } from 'node:net';

/**
 * Resets connections (RST). Destroys those that are ending already, because Node.js never closes them after a reset.
 */
export function resetConnections(sockets: Iterable<Socket>): void {
  for (const socket of sockets) {
    if (socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
  }
}
