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
  let tlsServer: https.Server;
  let connections: Connection[];

  const connect = (overrides: Partial<ConnectionOptions> = {}): Connection => {
    const connection = new Connection({
      account: () => Promise.resolve(service.account),
      accountKey: [service.account.baseUrl],
      concurrency: 8,
      maxQueued: 100,
      pollMinMs: 50,
      pollMaxMs: 50,
      waitTimeoutMs: 10_000,
      ...overrides,
    });
    connections.push(connection);
    return connection;
  };

  beforeEach(async () => {
    service = await FakeService.start();
    connections = [];
    // TLS in tlsServer of the fake service, with a certificate of a private authority.
    const keys = { key: certificate('service.key'), cert: certificate('service.pem') };
    tlsServer = https.createServer(keys, (request, reply) => {
      const { method, url, headers } = request;
      const inner = http.request({ port: service.port, host: '127.0.0.1', method, path: url, headers }, (response) => {
        reply.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(reply);
      });
      request.pipe(inner);
    });
    tlsServer.listen(0, '127.0.0.1');
    await once(tlsServer, 'listening');
  });
  afterEach(async () => {
    for (const connection of connections) await connection.close();
    tlsServer.closeAllConnections();
    tlsServer.close();
    await service.stop();
  });

  it('shares the limit of eight concurrent polls with all connections of its account', async () => {
    const pendingPolls: { afterMs: number; release: () => void }[] = [];
    let isReleased: boolean = false;
    let onEighth: () => void = () => undefined;
    const eighth = new Promise<void>((resolve) => {
      onEighth = resolve;
    });
    const startedAt = performance.now();
    const holdPoll = async (): Promise<false> => {
      if (pendingPolls.length === 7) onEighth();
      const afterMs = performance.now() - startedAt;
      if (!isReleased) await new Promise<void>((release) => pendingPolls.push({ afterMs, release }));
      return false;
    };
    service.fault('GET', /status$/, holdPoll, 24);
    const clients = [connect().client, connect().client, connect().client];
    const waits = clients.flatMap((client) =>
      Array.from({ length: 8 }, () => client.wait(service.addOperation('repair'), 'repair')),
    );
    await eighth;
    // By now each client could poll on its own: their downloads complete meanwhile.
    const fileId = service.addFile(Buffer.from('solid'));
    for (const client of clients) await client.download(fileId, { to: 'buffer' });
    // A poll without a reply for this time counts as slow: another one may then start.
    const slowPollMs = 990;
    pendingPolls.filter(({ afterMs }) => afterMs < slowPollMs).length.should.be.belowOrEqual(8);
    isReleased = true;
    for (const { release } of pendingPolls) release();
    await Promise.all(waits);
  });

  it('does not reuse the token source of a connection with other TLS settings', async () => {
    const { port } = tlsServer.address() as AddressInfo;
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
