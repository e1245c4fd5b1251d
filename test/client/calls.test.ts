import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import should from 'should';
import { type Account, type Client, createClient, type ErrorCode } from '../../src/client/index.js';
import { collectText, expectClientError } from '../helpers/expect-client-error.js';
import { dropConnection, type Fault, neverReply, replyWith, replyWithError } from '../helpers/fake-replies.js';
import { FakeService } from '../helpers/fake-service.js';
import { InstantClock } from '../helpers/instant-clock.js';

const START = /operation\/repair$/;
const STATUS = /\/status$/;

describe('Client', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;

  beforeEach(async () => {
    service = await FakeService.start();
    clock = new InstantClock();
    client = createClient({ account: service.account, limits: { replyTimeoutMs: 2000 }, ...clock });
  });

  afterEach(async () => {
    await client.close();
    await service.stop();
  });

  const repair = (inputId: string = randomUUID()) => client.start('repair', { inputId });

  it('starts an operation with its parameters as JSON', async () => {
    const inputId = randomUUID();
    const { operationId } = await client.start('import', { fileId: inputId, measurementUnits: 'mm' });
    service.operations.has(operationId).should.be.true();
    const request = service.requests.at(-1);
    request?.path.should.equal('/web-api/operation/import');
    request?.body.should.equal(JSON.stringify({ fileId: inputId, measurementUnits: 'mm' }));
    request?.headers.should.have.properties({
      'content-type': 'application/json',
      authorization: 'Bearer access-token-1',
    });
    should(request?.headers['content-length']).equal(String(request?.bodyBytes));
  });

  it('reads the status and the result of an operation', async () => {
    const operationId = service.addOperation('repair');
    (await client.status(operationId)).should.eql({ operationId, isCompleted: true, isSuccessful: true });
    (await client.result(operationId, 'repair')).should.have.keys('operationId', 'resultId');
  });

  it('supports a base URL with a path and a trailing slash', async () => {
    const other = createClient({
      account: { ...service.account, baseUrl: `${service.account.baseUrl}/deep/` },
      ...clock,
    });
    await expectClientError(other.status(randomUUID()));
    service.requests[0]?.path.should.equal('/deep/Token');
    await other.close();
  });

  describe('rejects with INPUT_INVALID before any request', () => {
    for (const id of ['../../Token', 'x', '', `${randomUUID()}/..`, `${randomUUID()}\n`]) {
      it(`the id ${JSON.stringify(id).slice(0, 20)}`, async () => {
        (await expectClientError(client.status(id))).code.should.equal('INPUT_INVALID');
        (await expectClientError(client.result(id, 'repair'))).code.should.equal('INPUT_INVALID');
        (await expectClientError(client.wait(id, 'repair'))).code.should.equal('INPUT_INVALID');
        (await expectClientError(client.download(id, { to: 'buffer' }))).code.should.equal('INPUT_INVALID');
        (await expectClientError(repair(id))).code.should.equal('INPUT_INVALID');
        service.requests.should.eql([]);
      });
    }

    it('an operation name with a slash', async () => {
      (await expectClientError(client.start('../file', {}))).code.should.equal('INPUT_INVALID');
      (await expectClientError(client.result(randomUUID(), 'a/b'))).code.should.equal('INPUT_INVALID');
      service.requests.should.eql([]);
    });
  });

  describe('reports the code, the status and the message of an error reply', () => {
    const cases: [status: number, code: ErrorCode][] = [
      [400, 'REFUSED'],
      [403, 'REFUSED'],
      [404, 'NOT_FOUND'],
      [409, 'REFUSED'],
      [410, 'NOT_FOUND'],
      [413, 'REFUSED'],
      [415, 'REFUSED'],
      [422, 'REFUSED'],
      [507, 'DISK_FULL'],
    ];
    for (const [status, code] of cases) {
      it(`${status}: ${code}, without a retry`, async () => {
        service.fault('POST', START, replyWithError(status, 'Because of\r\nthis.'));
        const inputId = randomUUID();
        const error = await expectClientError(repair(inputId));
        error.should.have.properties({ code, statusCode: status });
        error.message.should.equal(
          `Could not start repair of ${inputId}: the service returned ${status}: Because of this.`,
        );
        service.count('POST', START).should.equal(1);
      });
    }

    it('with at most 500 characters of the message', async () => {
      service.fault('POST', START, replyWithError(400, 'x'.repeat(100_000)));
      (await expectClientError(repair())).message.length.should.be.below(600);
    });

    it('without a message if the body is an HTML page', async () => {
      service.fault('POST', START, replyWith(400, '<html>secret place</html>'));
      (await expectClientError(repair())).message.should.not.containEql('html');
    });
  });

  describe('after a transient failure', () => {
    const faults: [name: string, fault: Fault, code: ErrorCode][] = [
      ['a dropped connection', dropConnection, 'CONNECTION_FAILED'],
      ['408', replyWithError(408, 'slow'), 'TIMEOUT'],
      ['429', replyWithError(429, 'busy'), 'RATE_LIMITED'],
      ['500', replyWithError(500, 'oops'), 'REFUSED'],
      ['502', replyWith(502, 'bad gateway'), 'REFUSED'],
      ['503', replyWithError(503, 'later'), 'REFUSED'],
      ['504', replyWithError(504, 'late'), 'REFUSED'],
      ['an HTML page instead of JSON', replyWith(200, '<html>'), 'BAD_REPLY'],
      ['an empty reply', replyWith(200, ''), 'BAD_REPLY'],
      ['invalid JSON', replyWith(200, '{"operationId":NaN}'), 'BAD_REPLY'],
      ['JSON that is not an object', replyWith(200, []), 'BAD_REPLY'],
      [
        'a status with a string instead of a boolean',
        (request, reply) =>
          replyWith(200, { operationId: request.url?.split('/')[3], isCompleted: 'false', isSuccessful: false })(
            request,
            reply,
          ),
        'BAD_REPLY',
      ],
      [
        'a status of another operation',
        replyWith(200, { operationId: randomUUID(), isCompleted: true, isSuccessful: true }),
        'BAD_REPLY',
      ],
      [
        'malformed HTTP',
        (_request, reply) => {
          reply.socket?.end('HTTP/1.1 two hundred\r\n\r\n');
        },
        'BAD_REPLY',
      ],
    ];
    // A possible outage is retried more often than an invalid reply or an internal error.
    const outages = ['a dropped connection', '429', '502', '503', '504'];
    for (const [name, fault, code] of faults) {
      const attemptCount = outages.includes(name) ? 10 : 4;
      it(`retries a read: ${name}`, async () => {
        const operationId = service.addOperation('repair');
        service.fault('GET', STATUS, fault);
        (await client.status(operationId)).isCompleted.should.be.true();
        service.count('GET', STATUS).should.equal(2);
      });

      it(`rejects a read with ${code} after ${attemptCount} attempts: ${name}`, async () => {
        const operationId = service.addOperation('repair');
        service.fault('GET', STATUS, fault, 99);
        const error = await expectClientError(client.status(operationId));
        error.code.should.equal(code);
        error.message.should.startWith(`Could not read the status of operation ${operationId}: `);
        service.count('GET', STATUS).should.equal(attemptCount);
      });
    }

    it('retries a start that the service has not processed (429, 503)', async () => {
      service.fault('POST', START, replyWithError(429, 'busy'));
      service.fault('POST', START, replyWithError(503, 'later'));
      await repair();
      service.operations.size.should.equal(1);
    });

    for (const [name, fault, status] of [
      ['a dropped connection', dropConnection, undefined],
      ['500', replyWithError(500, 'oops'), 500],
      ['504', replyWithError(504, 'late'), 504],
      ['a timeout', neverReply, undefined],
    ] as const) {
      it(`rejects a start with OUTCOME_UNKNOWN, without a retry: ${name}`, async () => {
        await client.close();
        client = createClient({ account: service.account, limits: { replyTimeoutMs: 100 }, ...clock });
        service.fault('POST', START, fault, 99);
        const error = await expectClientError(repair());
        error.code.should.equal('OUTCOME_UNKNOWN');
        should(error.statusCode).equal(status);
        service.count('POST', START).should.equal(1);
      });
    }

    it('delays all calls by the Retry-After of the service', async () => {
      const operationId = service.addOperation('repair');
      service.fault('GET', STATUS, replyWithError(429, 'busy', { 'Retry-After': '120' }), 10);
      await expectClientError(client.status(operationId));
      clock.sleeps.filter((ms) => ms >= 119_000).length.should.equal(9);
      await repair();
      clock.sleeps.filter((ms) => ms >= 119_000).length.should.equal(10);
    });
  });

  describe('rejects an invalid reply', () => {
    const operationId = randomUUID();
    const readStatus = async (fault: Fault) => {
      service.fault('GET', STATUS, fault, 99);
      return expectClientError(client.status(operationId));
    };

    it('longer than 1 MiB', async () => {
      (await readStatus(replyWith(200, { operationId, padding: 'x'.repeat(1 << 20) }))).message.should.containEql(
        'longer than 1048576',
      );
    });

    it('that is compressed, because no encoding was accepted', async () => {
      const bomb = gzipSync(Buffer.alloc(1 << 22));
      const headers = { 'Content-Encoding': 'gzip' };
      (
        await readStatus((_request, reply) => {
          reply.writeHead(200, headers).end(bomb);
        })
      ).code.should.equal('BAD_REPLY');
    });

    it('that is nested too deeply', async () => {
      (await readStatus(replyWith(200, '['.repeat(500_000)))).code.should.equal('BAD_REPLY');
    });

    it('that is a redirect, naming its host, to which nothing is sent', async () => {
      const other = await FakeService.start();
      const error = await readStatus(replyWith(302, '', { Location: `${other.account.baseUrl}/x` }));
      error.code.should.equal('BAD_REPLY');
      error.message.should.containEql(`127.0.0.1:${other.port}`);
      service.count('GET', STATUS).should.equal(1);
      other.requests.should.eql([]);
      await other.stop();
    });

    it('but only drops keys that could modify a prototype', async () => {
      const text = `{"operationId":"${operationId}","resultId":"${operationId}","__proto__":{"polluted":true}}`;
      service.fault('GET', /result$/, replyWith(200, text));
      const result = await client.result(operationId, 'repair');
      Object.keys(result).should.eql(['operationId', 'resultId']);
      should(Object.assign({}, result)).not.have.property('polluted');
    });

    it('without a required field, naming the field', async () => {
      service.fault('GET', /result$/, replyWith(200, { operationId }), 99);
      (await expectClientError(client.result(operationId, 'repair'))).message.should.containEql('"resultId"');
    });

    it('but not one with a byte order mark', async () => {
      const text = `\uFEFF${JSON.stringify({ operationId, isCompleted: true, isSuccessful: true })}`;
      service.fault('GET', STATUS, replyWith(200, text));
      (await client.status(operationId)).isCompleted.should.be.true();
    });
  });

  describe('on 401', () => {
    it('renews the token once and repeats the call once', async () => {
      await repair();
      service.revokeTokens();
      await Promise.all([repair(), repair(), repair()]);
      service.operations.size.should.equal(4);
      service.count('POST', /Token/).should.equal(2);
    });

    it('waits a second and repeats the call once more with a new token, which the service may not know yet', async () => {
      service.fault('POST', START, replyWithError(401, 'no'), 2);
      await repair();
      clock.sleeps.should.containEql(1000);
      service.count('POST', START).should.equal(3);
    });

    it('rejects with BAD_CREDENTIALS after the third 401', async () => {
      service.fault('POST', START, replyWithError(401, 'no'), 99);
      (await expectClientError(repair())).should.have.properties({ code: 'BAD_CREDENTIALS', statusCode: 401 });
      service.count('POST', START).should.equal(3);
    });
  });

  describe('without a connection', () => {
    it('retries even a start, because nothing was sent, then rejects with an error that names the host', async () => {
      const { port } = service;
      await service.stop();
      const error = await expectClientError(repair());
      error.code.should.equal('CONNECTION_FAILED');
      error.message.should.containEql(`127.0.0.1:${port}`);
      clock.sleeps.length.should.equal(9);
      await service.listen();
    });

    it('reads the account before each attempt, and continues at a new address with a new token', async () => {
      const second = await FakeService.start();
      const accounts: Account[] = [service.account, service.account, second.account];
      await client.close();
      let readCount = 0;
      const account = () => Promise.resolve({ ...(accounts[readCount++] ?? second.account) });
      client = createClient({ account, ...clock });
      await repair();
      await service.stop();
      await client.status(second.addOperation('repair'));
      second.count('POST', /Token/).should.equal(1);
      await service.listen();
      await second.stop();
    });

    it('continues at a new address if it changes during a token request to the old address', async () => {
      const second = await FakeService.start();
      let current = service.account;
      await client.close();
      client = createClient({ account: () => Promise.resolve({ ...current }), ...clock });
      service.fault('POST', /Token/, neverReply);
      const waiting = repair();
      while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      current = second.account;
      await repair();
      await waiting;
      second.operations.size.should.equal(2);
      await second.stop();
    });

    it('rejects with NOT_CONFIGURED and the reason if there is no account', async () => {
      await client.close();
      client = createClient({ account: () => Promise.reject(new Error('not yet')), ...clock });
      const error = await expectClientError(repair());
      error.code.should.equal('NOT_CONFIGURED');
      error.message.should.containEql('not yet');
    });

    it('rejects with TIMEOUT if no connection is established in time', async () => {
      const sockets: net.Socket[] = [];
      // Accepts TCP connections, and never replies to the TLS handshake.
      const mute = net.createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
      await once(mute, 'listening');
      const { port } = mute.address() as net.AddressInfo;
      const baseUrl = `https://127.0.0.1:${port}`;
      await client.close();
      const limits = { connectTimeoutMs: 50, maxOutageTries: 3 };
      client = createClient({ account: { ...service.account, baseUrl }, limits, ...clock });
      (await expectClientError(repair())).code.should.equal('TIMEOUT');
      sockets.length.should.equal(3);
      for (const socket of sockets) socket.destroy();
      mute.close();
    });

    it('rejects with CONNECTION_FAILED if a port does not support TLS', async () => {
      await client.close();
      const baseUrl = service.account.baseUrl.replace('http:', 'https:');
      client = createClient({ account: { ...service.account, baseUrl }, ...clock });
      const error = await expectClientError(repair());
      error.code.should.equal('CONNECTION_FAILED');
      error.message.should.containEql('no secure connection');
      clock.sleeps.filter((ms) => ms > 0).length.should.be.belowOrEqual(9);
    });
  });

  it('redacts secrets in all errors, even if the service quotes the request', async () => {
    const { password, clientSecret } = service.account;
    await repair();
    const secretText = `${password} ${clientSecret} Bearer access-token-1`;
    const faults = [
      replyWithError(400, secretText),
      replyWithError(500, secretText),
      dropConnection,
      replyWith(200, secretText),
      replyWith(302, '', { Location: 'http://x/' }),
    ];
    for (const fault of faults) {
      service.fault('POST', START, fault);
      const text = collectText(await expectClientError(repair()));
      for (const secret of [password, clientSecret, 'access-token-1', 'Basic ']) text.should.not.containEql(secret);
    }
  });

  it('rejects with ABORTED on the signal of the call', async () => {
    const stop = new AbortController();
    service.fault('GET', STATUS, () => stop.abort());
    (await expectClientError(client.status(randomUUID(), { signal: stop.signal }))).code.should.equal('ABORTED');
    (await expectClientError(client.status(randomUUID(), { signal: stop.signal }))).code.should.equal('ABORTED');
    service.count('GET', STATUS).should.equal(1);
  });

  it('rejects with ABORTED when it is closed, and leaves no connection', async () => {
    service.fault('GET', STATUS, neverReply, 99);
    // More calls than connections, so that some calls wait for one.
    const calls = Array.from({ length: 12 }, () => expectClientError(client.status(randomUUID())));
    while (service.count('GET', STATUS) < 8) await new Promise((resolve) => setImmediate(resolve));
    service.sockets.size.should.be.belowOrEqual(9);
    await client.close();
    for (const error of await Promise.all(calls)) error.code.should.equal('ABORTED');
    while (service.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
    (await expectClientError(repair())).code.should.equal('ABORTED');
  });

  it('throws a TypeError for invalid options', () => {
    const account = (baseUrl: string) => () => createClient({ account: { ...service.account, baseUrl } });
    for (const url of ['', 'file:///etc', 'not a url', 'http://user:pw@host/']) account(url).should.throw(TypeError);
    const limit = (limits: object) => () => createClient({ account: service.account, limits });
    for (const limits of [
      { maxTries: 0 },
      { pollMinMs: Number.NaN },
      { idleTimeoutMs: Number.POSITIVE_INFINITY },
      { replyTimeoutMs: '5000' },
      { replyTimeoutMs: 2 ** 31 },
    ])
      limit(limits).should.throw(TypeError);
    (() => createClient({ account: service.account, limits: { pollMinMs: 20_000 } })).should.throw(TypeError);
  });

  it('rejects with a TypeError for an invalid number, before any request', async () => {
    const numbers: unknown[] = [Number.NaN, '5000', 0, -1, Number.POSITIVE_INFINITY, null, {}];
    const expectTypeError = (call: Promise<unknown>) => call.should.be.rejectedWith(TypeError);
    for (const value of numbers) {
      // JavaScript callers can pass other types.
      const number = value as number;
      await expectTypeError(client.wait(randomUUID(), 'repair', { timeoutMs: number }));
      await expectTypeError(client.download(randomUUID(), { to: 'buffer', maxBytes: number }));
      if (value === 0) continue;
      await expectTypeError(client.upload({ stream: Readable.from(['x']), filename: 'a.stl', size: number }));
    }
    service.requests.should.eql([]);
  });
});
