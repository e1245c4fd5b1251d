import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request. */
export interface Received {
  method: string | undefined;
  url: string | undefined;
  type: string | undefined;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** Starts a server on loopback that records requests and replies with `statuses`, then always with the last one. */
export async function startReceiver(statuses: number[], replyHeaders: Record<string, string> = {}, listenPort = 0) {
  const received: Received[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    received.push({ method, url, type: headers['content-type'], headers, body });
    response.writeHead(statuses[Math.min(received.length, statuses.length) - 1] ?? 200, replyHeaders).end();
  });
  server.listen(listenPort, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server that listens on a port has an AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { received, port, url: `http://127.0.0.1:${port}/done`, close };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
