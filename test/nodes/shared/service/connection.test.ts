import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import 'should';
import { Connection, type ConnectionOptions } from '../../../../nodes/shared/service/connection.js';
import { expectClientError } from '../../../helpers/expect-client-error.js';
import { FakeService } from '../../../helpers/fake-service.js';

function certificate(name: string) {
  return readFileSync(fileURLToPath(new URL(`../../../helpers/certificates/${name}`, import.meta.url)));
}

describe('Connection', () => {
  let service: FakeService;
  let front: https.Server;
  let connections: Connection[];

  const connect = (more: Partial<ConnectionOptions> = {}): Connection => {
    const connection = new Connection({
      account: () => Promise.resolve(service.account),
      accountKey: [service.account.baseUrl],
      concurrency: 8,
      maxQueued: 100,
      pollMinMs: 50,
      pollMaxMs: 50,
      waitTimeoutMs: 10_000,
      ...more,
    });
    connections.push(connection);
    return connection;
  };

  beforeEach(async () => {
    service = await FakeService.start();
    connections = [];
    // TLS in front of the stand-in, by a certificate of a private authority.
    const keys = { key: certificate('service.key'), cert: certificate('service.pem') };
    front = https.createServer(keys, (request, reply) => {
      const { method, url, headers } = request;
      const inner = http.request({ port: service.port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
        reply.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(reply);
      });
      request.pipe(inner);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
  });
  afterEach(async () => {
    for (const connection of connections) await connection.close();
    front.closeAllConnections();
    front.close();
    await service.stop();
  });

  it('shares the looks at operations with all connections of its account', async () => {
    const held: (() => void)[] = [];
    let isOpen: boolean = false;
    let onEighth: () => void = () => undefined;
    const eighth = new Promise<void>((resolve) => {
      onEighth = resolve;
    });
    const hold = async (): Promise<false> => {
      if (held.length === 7) onEighth();
      if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
      return false;
    };
    service.fault('GET', /status$/, hold, 24);
    const clients = [connect().client, connect().client, connect().client];
    const waits = clients.flatMap((client) =>
      Array.from({ length: 8 }, () => client.wait(service.addOperation('repair'), 'repair')),
    );
    await eighth;
    // Each could look by now, if it did so by itself: other calls of theirs go there and back.
    const fileId = service.addFile(Buffer.from('solid'));
    for (const client of clients) await client.download(fileId, { to: 'buffer' });
    held.length.should.equal(8);
    isOpen = true;
    for (const go of held) go();
    await Promise.all(waits);
  });

  it('takes no token source over that an earlier one had with other TLS settings', async () => {
    const { port } = front.address() as AddressInfo;
    const account = () => Promise.resolve({ ...service.account, baseUrl: `https://127.0.0.1:${port}` });
    const fileId = service.addFile(Buffer.from('solid'));
    const strict = connect({ account });
    (await expectClientError(strict.client.download(fileId, { to: 'buffer' }))).code.should.equal('CONNECTION_FAILED');
    await connections.pop()?.close();
    const tls = { ca: certificate('ca.pem') };
    const trusting = connect({ account, tls });
    (await trusting.client.download(fileId, { to: 'buffer' })).size.should.equal(5);
  });
});
