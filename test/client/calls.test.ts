import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import should from 'should';
import { type Account, type Client, createClient, type ErrorCode } from '../../src/client/index.js';
import { collectText, expectClientError } from '../helpers/expect-client-error.js';
import { answer, dropConnection, FakeService, type Fault, neverReply, refusal } from '../helpers/fake-service.js';
import { InstantClock } from '../helpers/instant-clock.js';

const START = /operation\/repair$/;
const STATUS = /\/status$/;

describe('calls of the client', () => {
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

  it('start an operation with its parameters as JSON', async () => {
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

  it('read the status and the result of an operation', async () => {
    const operationId = service.addOperation('repair');
    (await client.status(operationId)).should.eql({ operationId, isCompleted: true, isSuccessful: true });
    (await client.result(operationId, 'repair')).should.have.keys('operationId', 'resultId');
  });

  it('work below a base URL with a path and a slash at its end', async () => {
    const other = createClient({
      account: { ...service.account, baseUrl: `${service.account.baseUrl}/deep/` },
      ...clock,
    });
    await expectClientError(other.status(randomUUID()));
    service.requests[0]?.path.should.equal('/deep/Token');
    await other.close();
  });

  describe('refuse before anything is sent', () => {
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

    it('an operation whose name could leave its path', async () => {
      (await expectClientError(client.start('../file', {}))).code.should.equal('INPUT_INVALID');
      (await expectClientError(client.result(randomUUID(), 'a/b'))).code.should.equal('INPUT_INVALID');
      service.requests.should.eql([]);
    });
  });

  describe('give a refusal its code, its status and the words of the service', () => {
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
      it(`${status}: ${code}, at the first try`, async () => {
        service.fault('POST', START, refusal(status, 'Because of\r\nthis.'));
        const inputId = randomUUID();
        const error = await expectClientError(repair(inputId));
        error.should.have.properties({ code, statusCode: status });
        error.message.should.equal(
          `Could not start repair of ${inputId}: the service answered ${status}: Because of this.`,
        );
        service.count('POST', START).should.equal(1);
      });
    }

    it('at most 500 characters of them', async () => {
      service.fault('POST', START, refusal(400, 'x'.repeat(100_000)));
      (await expectClientError(repair())).message.length.should.be.below(600);
    });

    it('none of them where the body is a page', async () => {
      service.fault('POST', START, answer(400, '<html>secret place</html>'));
      (await expectClientError(repair())).message.should.not.containEql('html');
    });
  });

  describe('after a failure that may pass', () => {
    const faults: [what: string, fault: Fault, code: ErrorCode][] = [
      ['a connection that breaks off', dropConnection, 'CONNECTION_FAILED'],
      ['408', refusal(408, 'slow'), 'TIMEOUT'],
      ['429', refusal(429, 'busy'), 'RATE_LIMITED'],
      ['500', refusal(500, 'oops'), 'REFUSED'],
      ['502', answer(502, 'bad gateway'), 'REFUSED'],
      ['503', refusal(503, 'later'), 'REFUSED'],
      ['504', refusal(504, 'late'), 'REFUSED'],
      ['a page in place of JSON', answer(200, '<html>'), 'BAD_REPLY'],
      ['an empty reply', answer(200, ''), 'BAD_REPLY'],
      ['broken JSON', answer(200, '{"operationId":NaN}'), 'BAD_REPLY'],
      ['JSON that is no object', answer(200, []), 'BAD_REPLY'],
      [
        'a status with text for a flag',
        (request, reply) =>
          answer(200, { operationId: request.url?.split('/')[3], isCompleted: 'false', isSuccessful: false })(
            request,
            reply,
          ),
        'BAD_REPLY',
      ],
      [
        'a status of another operation',
        answer(200, { operationId: randomUUID(), isCompleted: true, isSuccessful: true }),
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
    // What may be an outage is bridged; a service that answers is not asked so often.
    const outages = ['a connection that breaks off', '429', '502', '503', '504'];
    for (const [what, fault, code] of faults) {
      const attemptCount = outages.includes(what) ? 10 : 4;
      it(`reading is repeated: ${what}`, async () => {
        const operationId = service.addOperation('repair');
        service.fault('GET', STATUS, fault);
        (await client.status(operationId)).isCompleted.should.be.true();
        service.count('GET', STATUS).should.equal(2);
      });

      it(`reading is given up after ${attemptCount} attempts: ${what}, ${code}`, async () => {
        const operationId = service.addOperation('repair');
        service.fault('GET', STATUS, fault, 99);
        const error = await expectClientError(client.status(operationId));
        error.code.should.equal(code);
        error.message.should.startWith(`Could not read the status of operation ${operationId}: `);
        service.count('GET', STATUS).should.equal(attemptCount);
      });
    }

    it('a start is repeated where the service did nothing (429, 503)', async () => {
      service.fault('POST', START, refusal(429, 'busy'));
      service.fault('POST', START, refusal(503, 'later'));
      await repair();
      service.operations.size.should.equal(1);
    });

    for (const [what, fault, status] of [
      ['a connection that breaks off', dropConnection, undefined],
      ['500', refusal(500, 'oops'), 500],
      ['504', refusal(504, 'late'), 504],
      ['no reply in time', neverReply, undefined],
    ] as const) {
      it(`a start is not repeated, and its outcome is unknown: ${what}`, async () => {
        await client.close();
        client = createClient({ account: service.account, limits: { replyTimeoutMs: 100 }, ...clock });
        service.fault('POST', START, fault, 99);
        const error = await expectClientError(repair());
        error.code.should.equal('OUTCOME_UNKNOWN');
        should(error.statusCode).equal(status);
        service.count('POST', START).should.equal(1);
      });
    }

    it('the pause that the service asks for is kept by all calls', async () => {
      const operationId = service.addOperation('repair');
      service.fault('GET', STATUS, refusal(429, 'busy', { 'Retry-After': '120' }), 10);
      await expectClientError(client.status(operationId));
      clock.sleeps.filter((ms) => ms >= 119_000).length.should.equal(9);
      await repair();
      clock.sleeps.filter((ms) => ms >= 119_000).length.should.equal(10);
    });
  });

  describe('trust no reply', () => {
    const operationId = randomUUID();
    const ask = async (fault: Fault) => {
      service.fault('GET', STATUS, fault, 99);
      return expectClientError(client.status(operationId));
    };

    it('longer than 1 MiB', async () => {
      (await ask(answer(200, { operationId, padding: 'x'.repeat(1 << 20) }))).message.should.containEql(
        'longer than 1048576',
      );
    });

    it('that is compressed, since it was not asked for so', async () => {
      const bomb = gzipSync(Buffer.alloc(1 << 22));
      const headers = { 'Content-Encoding': 'gzip' };
      (
        await ask((_request, reply) => {
          reply.writeHead(200, headers).end(bomb);
        })
      ).code.should.equal('BAD_REPLY');
    });

    it('nested too deep', async () => {
      (await ask(answer(200, '['.repeat(500_000)))).code.should.equal('BAD_REPLY');
    });

    it('that redirects: it names the host, and sends nothing there', async () => {
      const other = await FakeService.start();
      const error = await ask(answer(302, '', { Location: `${other.account.baseUrl}/x` }));
      error.code.should.equal('BAD_REPLY');
      error.message.should.containEql(`127.0.0.1:${other.port}`);
      service.count('GET', STATUS).should.equal(1);
      other.requests.should.eql([]);
      await other.stop();
    });

    it('whose keys could reach a prototype', async () => {
      const text = `{"operationId":"${operationId}","resultId":"${operationId}","__proto__":{"polluted":true}}`;
      service.fault('GET', /result$/, answer(200, text));
      const result = await client.result(operationId, 'repair');
      Object.keys(result).should.eql(['operationId', 'resultId']);
      should(Object.assign({}, result)).not.have.property('polluted');
    });

    it('that names the missing field when it says so', async () => {
      service.fault('GET', /result$/, answer(200, { operationId }), 99);
      (await expectClientError(client.result(operationId, 'repair'))).message.should.containEql('"resultId"');
    });

    it('but accepts a byte order mark', async () => {
      const text = `\uFEFF${JSON.stringify({ operationId, isCompleted: true, isSuccessful: true })}`;
      service.fault('GET', STATUS, answer(200, text));
      (await client.status(operationId)).isCompleted.should.be.true();
    });
  });

  describe('on 401', () => {
    it('renew the token once and repeat once', async () => {
      await repair();
      service.revokeTokens();
      await Promise.all([repair(), repair(), repair()]);
      service.operations.size.should.equal(4);
      service.count('POST', /Token/).should.equal(2);
    });

    it('wait a second and repeat once more where the token is new: it may not be known everywhere yet', async () => {
      service.fault('POST', START, refusal(401, 'no'), 2);
      await repair();
      clock.sleeps.should.containEql(1000);
      service.count('POST', START).should.equal(3);
    });

    it('end with BAD_CREDENTIALS where that does not help', async () => {
      service.fault('POST', START, refusal(401, 'no'), 99);
      (await expectClientError(repair())).should.have.properties({ code: 'BAD_CREDENTIALS', statusCode: 401 });
      service.count('POST', START).should.equal(3);
    });
  });

  describe('without a service', () => {
    it('repeat even a start, since nothing was sent, and name the host in the end', async () => {
      const { port } = service;
      await service.stop();
      const error = await expectClientError(repair());
      error.code.should.equal('CONNECTION_FAILED');
      error.message.should.containEql(`127.0.0.1:${port}`);
      clock.sleeps.length.should.equal(9);
      await service.listen();
    });

    it('ask for the account before each try, and go on at its new address with a new token', async () => {
      const second = await FakeService.start();
      const told: Account[] = [service.account, service.account, second.account];
      await client.close();
      let askedCount = 0;
      const account = () => Promise.resolve({ ...(told[askedCount++] ?? second.account) });
      client = createClient({ account, ...clock });
      await repair();
      await service.stop();
      await client.status(second.addOperation('repair'));
      second.count('POST', /Token/).should.equal(1);
      await service.listen();
      await second.stop();
    });

    it('go on when the service moves while they wait for a token of its old place', async () => {
      const second = await FakeService.start();
      let told = service.account;
      await client.close();
      client = createClient({ account: () => Promise.resolve({ ...told }), ...clock });
      service.fault('POST', /Token/, neverReply);
      const waiting = repair();
      while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      told = second.account;
      await repair();
      await waiting;
      second.operations.size.should.equal(2);
      await second.stop();
    });

    it('pass on why there is no account', async () => {
      await client.close();
      client = createClient({ account: () => Promise.reject(new Error('not yet')), ...clock });
      const error = await expectClientError(repair());
      error.code.should.equal('NOT_CONFIGURED');
      error.message.should.containEql('not yet');
    });

    it('give up a connection that does not come to be in time', async () => {
      const sockets: net.Socket[] = [];
      // Takes connections, and never answers the greeting of TLS.
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

    it('say in words that a port does not speak TLS, and do not try again', async () => {
      await client.close();
      const baseUrl = service.account.baseUrl.replace('http:', 'https:');
      client = createClient({ account: { ...service.account, baseUrl }, ...clock });
      const error = await expectClientError(repair());
      error.code.should.equal('CONNECTION_FAILED');
      error.message.should.containEql('no secure connection');
      clock.sleeps.filter((ms) => ms > 0).length.should.be.belowOrEqual(9);
    });
  });

  it('show no secret in any error, also where the service quotes what it was sent', async () => {
    const { password, clientSecret } = service.account;
    await repair();
    const spill = `${password} ${clientSecret} Bearer access-token-1`;
    const faults = [
      refusal(400, spill),
      refusal(500, spill),
      dropConnection,
      answer(200, spill),
      answer(302, '', { Location: 'http://x/' }),
    ];
    for (const fault of faults) {
      service.fault('POST', START, fault);
      const text = collectText(await expectClientError(repair()));
      for (const secret of [password, clientSecret, 'access-token-1', 'Basic ']) text.should.not.containEql(secret);
    }
  });

  it('end with ABORTED as soon as their signal says so', async () => {
    const stop = new AbortController();
    service.fault('GET', STATUS, () => stop.abort());
    (await expectClientError(client.status(randomUUID(), { signal: stop.signal }))).code.should.equal('ABORTED');
    (await expectClientError(client.status(randomUUID(), { signal: stop.signal }))).code.should.equal('ABORTED');
    service.count('GET', STATUS).should.equal(1);
  });

  it('end with ABORTED when the client is closed, which leaves no connection', async () => {
    service.fault('GET', STATUS, neverReply, 99);
    // More than there are connections: some of the calls wait for one.
    const calls = Array.from({ length: 12 }, () => expectClientError(client.status(randomUUID())));
    while (service.count('GET', STATUS) < 8) await new Promise((resolve) => setImmediate(resolve));
    service.sockets.size.should.be.belowOrEqual(9);
    await client.close();
    for (const error of await Promise.all(calls)) error.code.should.equal('ABORTED');
    while (service.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
    (await expectClientError(repair())).code.should.equal('ABORTED');
  });

  it('are not made with options that make no sense', () => {
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

  it('reject with a TypeError, before anything is sent, a number that is none', async () => {
    const numbers: unknown[] = [Number.NaN, '5000', 0, -1, Number.POSITIVE_INFINITY, null, {}];
    const isMistake = (call: Promise<unknown>) => call.should.be.rejectedWith(TypeError);
    for (const value of numbers) {
      // As a program without types may call it.
      const number = value as number;
      await isMistake(client.wait(randomUUID(), 'repair', { timeoutMs: number }));
      await isMistake(client.download(randomUUID(), { to: 'buffer', maxBytes: number }));
      if (value === 0) continue;
      await isMistake(client.upload({ stream: Readable.from(['x']), filename: 'a.stl', size: number }));
    }
    service.requests.should.eql([]);
  });
});
