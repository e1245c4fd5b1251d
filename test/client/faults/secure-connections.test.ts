import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import 'should';
import { type ClientOptions, createClient } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { InstantClock } from '../../helpers/instant-clock.js';
import { eventually } from '../../helpers/processes.js';

function certificate(name: string) {
  return readFileSync(fileURLToPath(new URL(`../../helpers/certificates/${name}`, import.meta.url)));
}

const EXPIRED = certificate('expired.pem');
const CREDENTIALS = { clientId: 'c', clientSecret: 'secret of the client', username: 'u', password: 'pass word' };

describe('Client with TLS and proxy faults', () => {
  let clock: InstantClock;
  let server: https.Server;
  let requestCount: number;

  beforeEach(() => {
    clock = new InstantClock();
    requestCount = 0;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const listen = async (cert: Buffer) => {
    server = https.createServer({ key: certificate('service.key'), cert }, (_request, reply) => {
      requestCount += 1;
      reply.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as net.AddressInfo).port;
  };
  const startRepairAt = async (baseUrl: string, options: Partial<ClientOptions> = {}) => {
    const client = createClient({ account: { baseUrl, ...CREDENTIALS }, ...clock, ...options });
    try {
      return await expectClientError(client.start('repair', { inputId: randomUUID() }));
    } finally {
      await client.close();
    }
  };

  for (const [description, cert, tls, reason] of [
    ['an expired certificate', EXPIRED, { ca: EXPIRED }, 'its certificate has expired (CERT_HAS_EXPIRED)'],
    [
      'a certificate for another host name',
      certificate('service.pem'),
      { ca: certificate('ca.pem'), servername: 'other.test' },
      'its certificate is for another host name',
    ],
    ['a self-signed certificate', certificate('self-signed.pem'), {}, 'its certificate is self-signed'],
    [
      'a certificate of an unknown authority',
      certificate('service.pem'),
      {},
      'its certificate authority is not trusted',
    ],
  ] as const) {
    it(`fails with the reason for ${description}, without a retry, and sends nothing`, async () => {
      const error = await startRepairAt(`https://localhost:${await listen(cert)}`, { tls });
      error.should.have.properties({ code: 'CONNECTION_FAILED', isTransient: false });
      error.message.should.containEql(reason);
      clock.sleeps.should.eql([]);
      requestCount.should.equal(0);
    });
  }

  it('fails with the reason for a port without TLS, without a retry', async () => {
    await listen(EXPIRED);
    const plain = net.createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const error = await startRepairAt(`https://127.0.0.1:${(plain.address() as net.AddressInfo).port}`);
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.containEql('the port does not support TLS');
    clock.sleeps.should.eql([]);
    plain.close();
  });

  for (const [status, reason] of [
    ['403 Forbidden', 'the proxy refused the connection (403)'],
    ['407 Proxy Authentication Required', 'the proxy requires valid credentials (407)'],
  ] as const) {
    it(`fails with the reason if the proxy replies with ${status}, without a retry`, async () => {
      await listen(EXPIRED);
      const proxy = net.createServer((socket) => socket.end(`HTTP/1.1 ${status}\r\n\r\n`)).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const address = `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`;
      const error = await startRepairAt('https://service.test', { proxy: address });
      error.should.have.properties({ code: 'CONNECTION_FAILED', isTransient: false });
      error.message.should.containEql(reason);
      clock.sleeps.should.eql([]);
      proxy.close();
    });
  }

  it('fails with TIMEOUT after a retry if the proxy does not reply', async () => {
    await listen(EXPIRED);
    const sockets: net.Socket[] = [];
    const proxy = net.createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`;
    const limits = { connectTimeoutMs: 50, maxOutageTries: 2 };
    const error = await startRepairAt('https://service.test', { proxy: address, limits });
    error.should.have.properties({ code: 'TIMEOUT', isTransient: true });
    // The server may notice a connection after the client has given it up.
    await eventually('the proxy accepts both connections', () => sockets.length >= 2);
    sockets.length.should.equal(2);
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });

  it('fails with NOT_CONFIGURED for an invalid proxy URL, and sends nothing', async () => {
    const error = await startRepairAt(`https://service.test:${await listen(EXPIRED)}`, { proxy: 'ftp://proxy' });
    error.code.should.equal('NOT_CONFIGURED');
    clock.sleeps.should.eql([]);
  });

  it('uses no proxy for a service on the same machine', async () => {
    const port = await listen(EXPIRED);
    const error = await startRepairAt(`https://localhost:${port}`, { proxy: 'http://127.0.0.1:9' });
    error.message.should.not.containEql('proxy');
  });
});
