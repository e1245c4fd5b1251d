import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy in front of a service that loses replies. */
export interface LosingProxy {
  baseUrl: string;
  /** The number of replies that were lost. */
  lostCount(): number;
  close(): Promise<void>;
}

/**
 * Starts a proxy that passes all requests on to the service at `target`, and closes the connection instead of passing
 * on the first `lossesPerKey` replies to each idempotency key.
 */
export async function startLosingProxy(target: string, lossesPerKey = 1): Promise<LosingProxy> {
  const losses = new Map<string, number>();
  const server = http.createServer((request, reply) => {
    const key = request.headers['idempotency-key'];
    const { method, headers, url } = request;
    const forwarded = http.request(new URL(url ?? '/', target), { method: method ?? 'GET', headers }, (received) => {
      const lost = losses.get(String(key)) ?? 0;
      if (key !== undefined && lost < lossesPerKey) {
        losses.set(String(key), lost + 1);
        received.resume();
        received.once('end', () => reply.destroy());
        return;
      }
      reply.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(reply);
    });
    forwarded.on('error', () => reply.destroy());
    reply.once('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    lostCount: () => [...losses.values()].reduce((sum, count) => sum + count, 0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
