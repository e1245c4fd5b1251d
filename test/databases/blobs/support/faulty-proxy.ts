import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';

/**
 * What happens to a request: `error` replies with 503, `stall` never replies, `cut` closes the connection when half of the
 * body has passed in either direction, `alter` changes the first byte of the reply.
 */
export type Fault = 'error' | 'stall' | 'cut' | 'alter';

/** A proxy in front of an object storage that injects faults. */
export interface FaultyProxy {
  endpoint: string;
  /** `GET /path?query` of each request. */
  requests: string[];
  /** Chooses the fault of a request. Set by a test. Default: none. */
  chooseFault: (line: string) => Fault | undefined;
  /** Called for each request. Nothing of it is forwarded before this resolves. Set by a test. */
  onRequest: (line: string) => Promise<void>;
  close(): Promise<void>;
}

const SLOW_DOWN = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Slow down.</Message></Error>`;

function createCut(length: number, cut: () => void): Transform {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (passed >= length / 2) cut();
      else done(null, chunk);
    },
  });
}

function createAlteration(): Transform {
  let isAltered = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const altered = Buffer.from(chunk);
      if (!isAltered) altered.writeUInt8(altered.readUInt8(0) ^ 1, 0);
      isAltered = true;
      done(null, altered);
    },
  });
}

/** Starts a proxy on a free port of loopback. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const forward = (request: IncomingMessage, reply: ServerResponse, line: string): void => {
    const { method = 'GET', headers, url = '/' } = request;
    const fault = proxy.chooseFault(line);
    const cut = (): void => void request.socket.destroy();
    if (fault === 'stall') return;
    if (fault === 'error') {
      request.resume();
      reply.writeHead(503, { 'content-type': 'application/xml' }).end(SLOW_DOWN);
      return;
    }
    const forwarded = http.request(new URL(url, target), { method, headers, agent: false }, (received) => {
      const length = Number(received.headers['content-length'] ?? 0);
      reply.writeHead(received.statusCode ?? 502, received.headers);
      if (fault === 'cut') received.pipe(createCut(length, cut)).pipe(reply);
      else if (fault === 'alter') received.pipe(createAlteration()).pipe(reply);
      else received.pipe(reply);
      received.once('error', cut);
    });
    forwarded.once('error', cut);
    reply.once('close', () => forwarded.destroy());
    const length = Number(headers['content-length'] ?? 0);
    if (fault === 'cut' && length > 0) request.pipe(createCut(length, cut)).pipe(forwarded);
    else request.pipe(forwarded);
  };
  const server = http.createServer((request, reply) => {
    const line = `${request.method} ${request.url}`;
    proxy.requests.push(line);
    proxy.onRequest(line).then(
      () => forward(request, reply, line),
      () => request.socket.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server that listens on a port has one
  const proxy: FaultyProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    requests: [],
    chooseFault: () => undefined,
    onRequest: () => Promise.resolve(),
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return proxy;
}
