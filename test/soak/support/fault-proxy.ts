import { once } from 'node:events';
import net from 'node:net';
import { resetConnections } from '../../helpers/reset-connections.js';

/**
 * The behavior of an outage. `refused`: connections are refused. `reset`: connections are accepted and reset. `silent`:
 * no data is transferred on any connection. `unavailable`: each request gets a 503. `half`: each reply is truncated.
 */
export type OutageKind = 'refused' | 'reset' | 'silent' | 'unavailable' | 'half';

/** All kinds of outages. */
export const OUTAGE_KINDS: readonly OutageKind[] = ['refused', 'reset', 'silent', 'unavailable', 'half'];

/** A connection of a client, and the corresponding connection to the service. */
interface Pair {
  client: net.Socket;
  service: net.Socket;
}

const UPLOAD = 'POST /web-api/operation/file';

/** A TCP proxy between a client and a service that simulates outages. */
export class FaultProxy {
  readonly #servicePort: number;
  readonly #pairs = new Set<Pair>();
  readonly #sockets = new Set<net.Socket>();
  readonly #silenced = new Set<Pair>();
  #server = net.createServer();
  #port = 0;
  #outage: OutageKind | undefined;
  #onUpload: (() => void) | undefined;

  constructor(servicePort: number) {
    this.#servicePort = servicePort;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens on any free port, or on the previous one after a `refused` outage. */
  async listen(): Promise<void> {
    this.#server = net.createServer((client) => this.#accept(client));
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as net.AddressInfo).port;
  }

  /** Resolves when the next upload has started. */
  nextUpload(): Promise<void> {
    return new Promise((resolve) => {
      this.#onUpload = resolve;
    });
  }

  /** Starts an outage. */
  begin(kind: OutageKind): void {
    this.#outage = kind;
    if (kind === 'refused') this.#server.close();
    if (kind === 'silent') for (const pair of this.#pairs) this.#silence(pair);
    // Connections stay open for `half`: replies in progress are truncated.
    else if (kind !== 'half') for (const pair of this.#pairs) reset(pair);
  }

  /** Ends the outage. Connections that have become silent stay silent until `endSilence`. */
  async end(): Promise<void> {
    const wasRefused = this.#outage === 'refused';
    this.#outage = undefined;
    if (wasRefused) await this.listen();
  }

  /** Resets all silent connections. */
  endSilence(): void {
    for (const pair of this.#silenced) reset(pair);
    this.#silenced.clear();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(client: net.Socket): void {
    this.#track(client);
    client.on('error', () => undefined);
    if (this.#outage === 'reset') client.resetAndDestroy();
    else if (this.#outage === 'unavailable') this.#sendUnavailable(client);
    else this.#forward(client);
  }

  #sendUnavailable(client: net.Socket): void {
    const retryAfter = Math.random() < 0.3 ? 'Retry-After: 1\r\n' : '';
    client.once('data', () =>
      client.end(`HTTP/1.1 503 Later\r\n${retryAfter}Connection: close\r\nContent-Length: 0\r\n\r\n`),
    );
    client.resume();
  }

  #forward(client: net.Socket): void {
    const service = net.connect(this.#servicePort, '127.0.0.1');
    this.#track(service);
    const pair = { client, service };
    this.#pairs.add(pair);
    if (this.#outage === 'silent') this.#silence(pair);
    service.on('error', () => client.destroy());
    client.on('close', () => service.destroy());
    service.on('close', () => {
      this.#pairs.delete(pair);
      if (!this.#silenced.has(pair)) client.destroySoon();
    });
    client.on('data', (bytes) => {
      if (this.#silenced.has(pair)) return;
      if (bytes.indexOf(UPLOAD) === 0) this.#onUpload?.();
      service.write(bytes);
    });
    service.on('data', (bytes) => {
      if (this.#silenced.has(pair)) return;
      if (this.#outage === 'half' && !isProvisional(bytes)) {
        client.write(bytes.subarray(0, bytes.length - Math.ceil(countBodyBytes(bytes) / 2)), () => reset(pair));
      } else client.write(bytes);
    });
  }

  #track(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #silence(pair: Pair): void {
    this.#silenced.add(pair);
    pair.client.once('close', () => this.#silenced.delete(pair));
  }
}

/** Returns whether a chunk is a 100 Continue. */
function isProvisional(bytes: Buffer): boolean {
  return bytes.indexOf('HTTP/1.1 100') === 0;
}

/** Returns the number of bytes after the head, or of all bytes if they contain no head. */
function countBodyBytes(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  return end < 0 ? bytes.length : bytes.length - end - 4;
}

function reset({ client, service }: Pair): void {
  resetConnections([client]);
  service.destroy();
}
