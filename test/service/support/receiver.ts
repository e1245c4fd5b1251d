import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came. */
export interface Received {
  method: string | undefined;
  url: string | undefined;
  type: string | undefined;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** A server on loopback that notes what it is sent, and answers with the statuses it is given, the last one for ever. `on`: its port. Default: any. */
export async function startReceiver(statuses: number[], replyHeaders: Record<string, string> = {}, on = 0) {
  const received: Received[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    received.push({ method, url, type: headers['content-type'], headers, body });
    response.writeHead(statuses[Math.min(received.length, statuses.length) - 1] ?? 200, replyHeaders).end();
  });
  server.listen(on, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { received, port, url: `http://127.0.0.1:${port}/done`, close };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
