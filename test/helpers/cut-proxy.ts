import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback whose network can be cut: nothing arrives then, and no connection ends. */
export interface CutProxy {
  port: number;
  cut(): void;
  close(): Promise<void>;
}

/** Starts a proxy for a server on loopback. */
export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let isInterrupted = false;
  const add = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined); // the other side ends as well
    socket.on('close', () => sockets.delete(socket));
  };
  const forward = (source: Socket, target: Socket): void => {
    source.on('data', (bytes) => !isInterrupted && target.write(bytes));
    source.on('close', () => !isInterrupted && target.destroy());
  };
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    for (const socket of [client, target]) add(socket);
    forward(client, target);
    forward(target, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server that listens on a port has one
  return {
    port,
    cut() {
      isInterrupted = true;
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
