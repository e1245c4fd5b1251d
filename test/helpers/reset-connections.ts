import type { Socket } from 'node:net';

/** Resets these connections (RST). One that is being ended already is cut: Node never closes one that is reset then. */
export function resetConnections(sockets: Iterable<Socket>): void {
  for (const socket of sockets) {
    if (socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
  }
}
