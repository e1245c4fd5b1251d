import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../auth/network-of.js';
import { type AddressFilter, isLoopback } from '../callbacks/address-filter.js';
import { ServiceError } from '../service-error.js';
import { sendRawProblem } from './raw-problem.js';

// Connections that are refused with a reply at the same time. Further ones are closed at once.
const MAX_REFUSED = 100;

// How long a refused client has to read the reply.
const REFUSAL_MS = 1000;

/** The part of all connections that one network may hold. */
const NETWORK_SHARE = 1 / 4;

function refuse(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), REFUSAL_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => undefined); // the client has left
  socket.resume(); // with unread bytes, closing would discard the reply
  sendRawProblem(socket, new ServiceError('TOO_MANY_CONNECTIONS', 'Too many connections. Retry later.'));
}

/** The open connections of one network. */
interface Network {
  open: Set<Socket>;
  /** Those without a request, the longest idle first. */
  idle: Set<Socket>;
}

/** The open connections, by network. */
class OpenConnections {
  readonly #networks = new Map<string, Network>();
  readonly #networkOf = new Map<Socket, string>();

  get count(): number {
    return this.#networkOf.size;
  }

  countOf(network: string): number {
    return this.#networks.get(network)?.open.size ?? 0;
  }

  add(socket: Socket, name: string): void {
    const network = this.#networks.get(name) ?? { open: new Set(), idle: new Set() };
    this.#networks.set(name, network);
    this.#networkOf.set(socket, name);
    network.open.add(socket);
    network.idle.add(socket);
  }

  remove(socket: Socket): void {
    const name = this.#networkOf.get(socket);
    const network = name === undefined ? undefined : this.#networks.get(name);
    if (name === undefined || !network) return;
    this.#networkOf.delete(socket);
    network.open.delete(socket);
    network.idle.delete(socket);
    if (network.open.size === 0) this.#networks.delete(name);
  }

  setIdle(socket: Socket, isIdle: boolean): void {
    const network = this.#networks.get(this.#networkOf.get(socket) ?? '');
    network?.idle.delete(socket);
    if (isIdle) network?.idle.add(socket);
  }

  /** Closes the connection of a network that is idle for longest. Returns whether there was one. */
  closeIdleOf(name: string): boolean {
    const [longestIdle] = this.#networks.get(name)?.idle ?? [];
    if (!longestIdle) return false;
    this.remove(longestIdle);
    longestIdle.destroy();
    return true;
  }

  /** Closes an idle connection of the network that has the most of them. Returns whether there was one. */
  closeIdle(): boolean {
    let [largest, most] = ['', 0];
    for (const [name, { idle }] of this.#networks) if (idle.size > most) [largest, most] = [name, idle.size];
    return this.closeIdleOf(largest);
  }
}

/**
 * Limits the open connections of a server to `max`, also those at its further addresses, and those of one network to a
 * quarter of that, unless it is loopback or a trusted proxy, which connect for many clients. Where a further one needs
 * room, the connection without a request that is idle for longest is closed. If all have requests, the further one gets
 * 503 with `Retry-After`, whatever it requests.
 */
export function limitConnections(server: Server, max: number, isTrustedProxy: AddressFilter = () => false): void {
  const handlers = server.listeners('connection');
  const connections = new OpenConnections();
  const maxPerNetwork = Math.max(1, Math.floor(max * NETWORK_SHARE));
  let refused = 0;

  const hasRoom = (address: string, network: string): boolean => {
    const isLimited = !isLoopback(address) && !isTrustedProxy(address);
    if (isLimited && connections.countOf(network) >= maxPerNetwork && !connections.closeIdleOf(network)) return false;
    return connections.count < max || connections.closeIdle();
  };

  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) {
      socket.destroy(); // the client has left
      return;
    }
    const network = networkOf(remoteAddress);
    if (!hasRoom(remoteAddress, network)) {
      refused += 1;
      socket.once('close', () => {
        refused -= 1;
      });
      if (refused > MAX_REFUSED) socket.destroy();
      else refuse(socket);
      return;
    }
    connections.add(socket, network);
    socket.once('close', () => connections.remove(socket));
    for (const handler of handlers) handler.call(server, socket);
  });
  const lastResponses = new WeakMap<Socket, ServerResponse>(); // a pipelined request begins before the reply to the one before
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    lastResponses.set(socket, response);
    connections.setIdle(socket, false);
    response.once('close', () => connections.setIdle(socket, lastResponses.get(socket) === response));
  });
}
