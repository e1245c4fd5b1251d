import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import should from 'should';
import { type Client, type ClientOptions, createClient } from '../../../src/client/index.js';
import { isLoopback } from '../../../src/client/transport/agent-pool.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { FakeService } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';
import { nextTurn } from '../../helpers/next-turn.js';

function certificate(name: string) {
  return readFileSync(fileURLToPath(new URL(`../../helpers/certificates/${name}`, import.meta.url)));
}

const CA = certificate('ca.pem');

/** Starts a server on a free port of 127.0.0.1 and returns the port. */
async function listen(server: net.Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as net.AddressInfo).port;
}

describe('AgentPool', () => {
  let service: FakeService;
  let client: Client | undefined;
  let tlsServer: https.Server;
  let tlsPort: number;
  let proxy: http.Server;
  let proxyPort: number;
  let connects: { authority: string; authorization: string | undefined }[];
  /** The URLs of plain HTTP requests to the proxy. */
  let forwarded: string[];
  let openSockets: Set<Duplex>;
  /** The status line of the proxy's reply to CONNECT. */
  let proxyStatus: string;

  beforeEach(async () => {
    service = await FakeService.start();
    [connects, forwarded, openSockets, proxyStatus] = [[], [], new Set(), '200 OK'];
    // Terminates TLS in front of the fake service, with a certificate of a private authority.
    tlsServer = https.createServer(
      { key: certificate('service.key'), cert: certificate('service.pem') },
      (request, reply) => {
        const { method, url, headers } = request;
        const options = { port: service.port, host: '127.0.0.1', method, path: url, headers };
        const forwardedRequest = http.request(options, (forwardedReply) => {
          reply.writeHead(forwardedReply.statusCode ?? 500, forwardedReply.headers);
          forwardedReply.pipe(reply);
        });
        request.pipe(forwardedRequest);
      },
    );
    tlsPort = await listen(tlsServer);
    proxy = http.createServer((request, reply) => {
      forwarded.push(request.url ?? '');
      reply.writeHead(418).end();
    });
    proxy.on('connect', (request: http.IncomingMessage, socket: Duplex) => {
      connects.push({ authority: request.url ?? '', authorization: request.headers['proxy-authorization'] });
      if (!proxyStatus.startsWith('200')) {
        socket.end(`HTTP/1.1 ${proxyStatus}\r\n\r\n`);
        return;
      }
      const upstream = net.connect(tlsPort, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [socket, upstream]) {
        end.on('error', () => {});
        end.once('end', () => {
          socket.destroy();
          upstream.destroy();
        });
      }
    });
    proxy.on('connection', (socket: Duplex) => {
      openSockets.add(socket);
      socket.once('close', () => openSockets.delete(socket));
    });
    proxyPort = await listen(proxy);
  });

  afterEach(async () => {
    await client?.close();
    while (openSockets.size > 0) await nextTurn();
    tlsServer.closeAllConnections();
    tlsServer.close();
    proxy.close();
    await service.stop();
  });

  const createClientFor = (baseUrl: string, options: Partial<ClientOptions>): Client => {
    client = createClient({ account: { ...service.account, baseUrl }, ...new InstantClock(), ...options });
    return client;
  };
  const start = (target: Client) => target.start('repair', { inputId: randomUUID() });

  it('connects over TLS to a service whose authority is in the option ca', async () => {
    await start(createClientFor(`https://localhost:${tlsPort}`, { tls: { ca: CA } }));
    service.operations.size.should.equal(1);
  });

  it('sends nothing to a service whose certificate authority is not trusted', async () => {
    const clock = new InstantClock();
    const error = await expectClientError(start(createClientFor(`https://localhost:${tlsPort}`, clock)));
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.match(/no secure connection/);
    clock.sleeps.should.eql([]);
    service.requests.should.eql([]);
  });

  it('sends CONNECT with the credentials of the proxy, and reuses the tunnel', async () => {
    const options = { tls: { ca: CA }, proxy: `http://us%40er:pass@127.0.0.1:${proxyPort}` };
    const proxied = createClientFor('https://service.test', options);
    for (let i = 0; i < 3; i += 1) await proxied.status(service.addOperation('repair'));
    const authorization = `Basic ${Buffer.from('us@er:pass').toString('base64')}`;
    // One tunnel for the token request, one for the calls.
    connects.should.eql([
      { authority: 'service.test:443', authorization },
      { authority: 'service.test:443', authorization },
    ]);
    forwarded.should.eql([]);
  });

  it('uploads and downloads through a CONNECT tunnel', async () => {
    const proxied = createClientFor('https://service.test', {
      tls: { ca: CA },
      proxy: () => `http://127.0.0.1:${proxyPort}`,
    });
    await proxied.upload({ data: Buffer.alloc(3 << 20), filename: 'part.stl' });
    const bytes = Buffer.alloc(2 << 20, 'y');
    const file = await proxied.download(service.addFile(bytes), { to: 'buffer' });
    should(file.data?.equals(bytes)).be.true();
  });

  it('fails with CONNECTION_FAILED at the first 407 of the proxy', async () => {
    proxyStatus = '407 Proxy Authentication Required';
    const error = await expectClientError(
      start(createClientFor('https://service.test', { proxy: `http://127.0.0.1:${proxyPort}` })),
    );
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.match(/proxy .*credentials/);
    error.message.should.not.containEql(service.account.password);
  });

  it('fails with CONNECTION_FAILED if the proxy cannot be reached', async () => {
    proxy.close();
    const unreachable = `http://127.0.0.1:${proxyPort}`;
    const error = await expectClientError(start(createClientFor('https://service.test', { proxy: unreachable })));
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.containEql('the proxy could not be reached (ECONNREFUSED)');
  });

  it('sends plain HTTP requests to the proxy with the absolute URL', async () => {
    await expectClientError(start(createClientFor('http://service.test', { proxy: `http://127.0.0.1:${proxyPort}` })));
    forwarded[0]?.should.equal('http://service.test/Token');
  });

  it('uses no proxy for loopback addresses', async () => {
    await start(createClientFor(service.account.baseUrl, { proxy: `http://127.0.0.1:${proxyPort}` }));
    forwarded.should.eql([]);
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.9.8.7', '[::1]', '::1', '[::ffff:7f00:1]']) {
      isLoopback(host).should.be.true();
    }
    for (const host of ['localhost.evil.test', '128.0.0.1', '127.0.0.1.test', '[::2]', '10.0.0.1']) {
      isLoopback(host).should.be.false();
    }
  });

  it('ignores the proxy variables of the environment', async () => {
    const names = ['http_proxy', 'HTTP_PROXY', 'all_proxy'];
    const previous = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxyPort}`;
    try {
      const limits = { maxOutageTries: 1 };
      await expectClientError(start(createClientFor('http://service.invalid', { limits })));
      forwarded.should.eql([]);
    } finally {
      for (const [index, name] of names.entries()) {
        const value = previous[index];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });
});
