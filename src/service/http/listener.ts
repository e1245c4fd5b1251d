import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { explainAddressError } from './address-error.js';

/** Accepts the connections of a service. */
export interface Listener {
  /**
   * Starts listening, for `localhost` on all of its addresses. Resolves with the port, a free one for 0. Throws
   * `ADDRESS_UNAVAILABLE`. `portOption`: the option of the port, for that error. Default: `--port`.
   */
  listen(host: string, port: number, portOption?: string): Promise<number>;
  /** Accepts no further connections and closes the app. Resolves when all connections have ended. */
  close(): Promise<void>;
}

/** Resolves with the addresses of `localhost`. */
async function findLocalAddresses(): Promise<string[]> {
  const entries = await lookup('localhost', { all: true });
  return [...new Set(entries.map(({ address }) => address))];
}

/** Passes the connections at a further address to the server of `app`. Resolves with `undefined` if that is impossible. */
async function forwardConnections(app: FastifyInstance, host: string, port: number): Promise<Server | undefined> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    app.server.emit('connection', socket);
  });
  try {
    await once(server.listen({ host, port }), 'listening');
    return server;
  } catch (err) {
    app.log.warn({ err, host, port }, 'Could not listen on a further address of localhost');
    return undefined;
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/**
 * Creates the listener of an app. For `localhost` Fastify would create a server for each address, without the limit of
 * connections. Here one server has the connections of all. `findAddresses`: default: those of the system.
 */
export function createListener(app: FastifyInstance, findAddresses = findLocalAddresses): Listener {
  const forwarding: Server[] = [];
  return {
    async listen(host, port, portOption = '--port') {
      const [address = host, ...others] = host === 'localhost' ? await findAddresses() : [host];
      await app.listen({ host: address, port }).catch((error: unknown) => {
        throw explainAddressError(error, address, port, portOption);
      });
      const bound = app.server.address() as AddressInfo; // a server that listens on a port has one
      for (const other of others) {
        const server = await forwardConnections(app, other, bound.port);
        if (server) forwarding.push(server);
      }
      return bound.port;
    },
    async close() {
      await Promise.all([app.close(), ...forwarding.map(closeServer)]);
    },
  };
}
