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

function certificate(name: string) {
  return readFileSync(fileURLToPath(new URL(`../../helpers/certificates/${name}`, import.meta.url)));
}

const EXPIRED = certificate('expired.pem');
const LOGIN = { clientId: 'c', clientSecret: 'secret of the client', username: 'u', password: 'pass word' };

describe('faults of secure connections and proxies', () => {
  let clock: InstantClock;
  let front: https.Server;
  let requestCount: number;

  beforeEach(() => {
    clock = new InstantClock();
    requestCount = 0;
  });
  afterEach(() => {
    front.closeAllConnections();
    front.close();
  });

  const listen = async (cert: Buffer) => {
    front = https.createServer({ key: certificate('service.key'), cert }, (_request, reply) => {
      requestCount += 1;
      reply.end();
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    return (front.address() as net.AddressInfo).port;
  };
  const startAt = async (baseUrl: string, options: Partial<ClientOptions> = {}) => {
    const client = createClient({ account: { baseUrl, ...LOGIN }, ...clock, ...options });
    try {
      return await expectClientError(client.start('repair', { inputId: randomUUID() }));
    } finally {
      await client.close();
    }
  };

  for (const [what, cert, tls, words] of [
    ['has expired', EXPIRED, { ca: EXPIRED }, 'its certificate has expired (CERT_HAS_EXPIRED)'],
    [
      'is for another name',
      certificate('service.pem'),
      { ca: certificate('ca.pem'), servername: 'other.test' },
      'its certificate is for another name',
    ],
    ['is signed by itself', certificate('self-signed.pem'), {}, 'its certificate is signed by itself'],
    [
      'is of an authority that is not known',
      certificate('service.pem'),
      {},
      'the authority of its certificate is not known here',
    ],
  ] as const) {
    it(`a certificate that ${what}: an error in words, no second try, and nothing is sent`, async () => {
      const error = await startAt(`https://localhost:${await listen(cert)}`, { tls });
      error.should.have.properties({ code: 'CONNECTION_FAILED', isTransient: false });
      error.message.should.containEql(words);
      clock.sleeps.should.eql([]);
      requestCount.should.equal(0);
    });
  }

  it('a port that does not speak TLS: an error in words, and no second try', async () => {
    await listen(EXPIRED);
    const plain = net.createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const error = await startAt(`https://127.0.0.1:${(plain.address() as net.AddressInfo).port}`);
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.containEql('the port does not speak TLS');
    clock.sleeps.should.eql([]);
    plain.close();
  });

  for (const [what, answered, words] of [
    ['refuses', '403 Forbidden', 'the proxy refused with 403'],
    ['wants a login', '407 Proxy Authentication Required', 'the proxy wants another login (407)'],
  ] as const) {
    it(`a proxy that ${what}: an error in words, and no second try`, async () => {
      await listen(EXPIRED);
      const proxy = net.createServer((socket) => socket.end(`HTTP/1.1 ${answered}\r\n\r\n`)).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const address = `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`;
      const error = await startAt('https://service.test', { proxy: address });
      error.should.have.properties({ code: 'CONNECTION_FAILED', isTransient: false });
      error.message.should.containEql(words);
      clock.sleeps.should.eql([]);
      proxy.close();
    });
  }

  it('a proxy that says nothing: given up in time, and tried again', async () => {
    await listen(EXPIRED);
    const sockets: net.Socket[] = [];
    const proxy = net.createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`;
    const limits = { connectTimeoutMs: 50, maxOutageTries: 2 };
    const error = await startAt('https://service.test', { proxy: address, limits });
    error.should.have.properties({ code: 'TIMEOUT', isTransient: true });
    sockets.length.should.equal(2);
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });

  it('a proxy whose address is none: NOT_CONFIGURED, and nothing is sent', async () => {
    const error = await startAt(`https://service.test:${await listen(EXPIRED)}`, { proxy: 'ftp://proxy' });
    error.code.should.equal('NOT_CONFIGURED');
    clock.sleeps.should.eql([]);
  });

  it('a proxy for a service on this machine: not used', async () => {
    const port = await listen(EXPIRED);
    const error = await startAt(`https://localhost:${port}`, { proxy: 'http://127.0.0.1:9' });
    error.message.should.not.containEql('proxy');
  });
});
