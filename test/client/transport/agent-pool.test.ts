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

function certificate(name: string) {
  return readFileSync(fileURLToPath(new URL(`../../helpers/certificates/${name}`, import.meta.url)));
}

const CA = certificate('ca.pem');

/** The port of a server that listens on 127.0.0.1. */
async function listen(server: net.Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as net.AddressInfo).port;
}

describe('the way to the service', () => {
  let service: FakeService;
  let client: Client | undefined;
  let front: https.Server;
  let frontPort: number;
  let proxy: http.Server;
  let proxyPort: number;
  let connects: { authority: string; login: string | undefined }[];
  let forwarded: string[];
  let open: Set<Duplex>;
  /** What the proxy answers to CONNECT. */
  let proxyStatus: string;

  beforeEach(async () => {
    service = await FakeService.start();
    [connects, forwarded, open, proxyStatus] = [[], [], new Set(), '200 OK'];
    // TLS in front of the stand-in, by a certificate of a private authority.
    front = https.createServer(
      { key: certificate('service.key'), cert: certificate('service.pem') },
      (request, reply) => {
        const { method, url, headers } = request;
        const inner = http.request({ port: service.port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
          reply.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(reply);
        });
        request.pipe(inner);
      },
    );
    frontPort = await listen(front);
    proxy = http.createServer((request, reply) => {
      forwarded.push(request.url ?? '');
      reply.writeHead(418).end();
    });
    proxy.on('connect', (request: http.IncomingMessage, socket: Duplex) => {
      connects.push({ authority: request.url ?? '', login: request.headers['proxy-authorization'] });
      if (!proxyStatus.startsWith('200')) {
        socket.end(`HTTP/1.1 ${proxyStatus}\r\n\r\n`);
        return;
      }
      const onward = net.connect(frontPort, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [socket, onward]) {
        end.on('error', () => {});
        end.once('end', () => {
          socket.destroy();
          onward.destroy();
        });
      }
    });
    proxy.on('connection', (socket: Duplex) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
    proxyPort = await listen(proxy);
  });

  afterEach(async () => {
    await client?.close();
    while (open.size > 0) await new Promise((resolve) => setImmediate(resolve));
    front.closeAllConnections();
    front.close();
    proxy.close();
    await service.stop();
  });

  const clientTo = (baseUrl: string, options: Partial<ClientOptions>): Client => {
    client = createClient({ account: { ...service.account, baseUrl }, ...new InstantClock(), ...options });
    return client;
  };
  const start = (result: Client) => result.start('repair', { inputId: randomUUID() });

  it('goes over TLS to a service whose authority is given', async () => {
    await start(clientTo(`https://localhost:${frontPort}`, { tls: { ca: CA } }));
    service.operations.size.should.equal(1);
  });

  it('does not speak to a service whose authority is unknown', async () => {
    const clock = new InstantClock();
    const error = await expectClientError(start(clientTo(`https://localhost:${frontPort}`, clock)));
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.match(/no secure connection/);
    clock.sleeps.should.eql([]);
    service.requests.should.eql([]);
  });

  it('goes through CONNECT with the login of the proxy, and keeps the tunnel', async () => {
    const options = { tls: { ca: CA }, proxy: `http://us%40er:pass@127.0.0.1:${proxyPort}` };
    const result = clientTo('https://service.test', options);
    for (let i = 0; i < 3; i += 1) await result.status(service.addOperation('repair'));
    const login = `Basic ${Buffer.from('us@er:pass').toString('base64')}`;
    // One for the token, one for the calls.
    connects.should.eql([
      { authority: 'service.test:443', login },
      { authority: 'service.test:443', login },
    ]);
    forwarded.should.eql([]);
  });

  it('uploads and downloads through CONNECT', async () => {
    const proxied = clientTo('https://service.test', { tls: { ca: CA }, proxy: () => `http://127.0.0.1:${proxyPort}` });
    await proxied.upload({ data: Buffer.alloc(3 << 20), filename: 'part.stl' });
    const bytes = Buffer.alloc(2 << 20, 'y');
    const file = await proxied.download(service.addFile(bytes), { to: 'buffer' });
    should(file.data?.equals(bytes)).be.true();
  });

  it('says that the proxy wants a login, and does not try again', async () => {
    proxyStatus = '407 Proxy Authentication Required';
    const error = await expectClientError(
      start(clientTo('https://service.test', { proxy: `http://127.0.0.1:${proxyPort}` })),
    );
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.match(/proxy .*login/);
    error.message.should.not.containEql(service.account.password);
  });

  it('says that the proxy cannot be reached', async () => {
    proxy.close();
    const gone = `http://127.0.0.1:${proxyPort}`;
    const error = await expectClientError(start(clientTo('https://service.test', { proxy: gone })));
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.containEql('the proxy could not be reached (ECONNREFUSED)');
  });

  it('hands plain HTTP to the proxy with the whole address', async () => {
    await expectClientError(start(clientTo('http://service.test', { proxy: `http://127.0.0.1:${proxyPort}` })));
    forwarded[0]?.should.equal('http://service.test/Token');
  });

  it('never leads a loopback address through a proxy', async () => {
    await start(clientTo(service.account.baseUrl, { proxy: `http://127.0.0.1:${proxyPort}` }));
    forwarded.should.eql([]);
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.9.8.7', '[::1]', '::1', '[::ffff:7f00:1]']) {
      isLoopback(host).should.be.true();
    }
    for (const host of ['localhost.evil.test', '128.0.0.1', '127.0.0.1.test', '[::2]', '10.0.0.1']) {
      isLoopback(host).should.be.false();
    }
  });

  it('takes no proxy from the environment', async () => {
    const names = ['http_proxy', 'HTTP_PROXY', 'all_proxy'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxyPort}`;
    try {
      const limits = { maxOutageTries: 1 };
      await expectClientError(start(clientTo('http://service.invalid', { limits })));
      forwarded.should.eql([]);
    } finally {
      for (const [index, name] of names.entries()) {
        const value = before[index];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });
});
