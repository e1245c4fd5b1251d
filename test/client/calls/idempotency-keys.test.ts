import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { countOf } from '../../helpers/counts.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { dropConnection, type Fault, neverReply, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { loseReply } from '../../helpers/socket-faults.js';
import { registerClientBench } from '../support/client-bench.js';

const FORMATS = /^\/formats$/;
const START = /operation\/repair$/;
const UPLOAD = /operation\/file$/;
const START_COUNT = countOf('starts with keys whose replies are lost');
const FEATURES = ['cancel', 'delete', 'list', 'idempotency-key', 'priority'];

describe('Client with idempotencyKeys', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  const { reopen } = registerClientBench(
    (bench) => ({ service, clock, client } = bench),
    () => ({ idempotencyKeys: true }),
  );

  const start = () => client.start('repair', { inputId: randomUUID() });
  const upload = () => client.upload({ data: Buffer.from('solid'), filename: 'a.stl' });
  const findKeys = (path: RegExp) =>
    service.requests.filter((request) => path.test(request.path)).map(({ headers }) => headers['idempotency-key']);

  describe('and a service that announces them', () => {
    beforeEach(() => {
      service.features = FEATURES;
    });

    it('sends a key of its own, a UUID in quotes, with each start and each upload', async () => {
      await Promise.all([start(), start(), upload(), upload()]);
      const keys = [...findKeys(START), ...findKeys(UPLOAD)];
      new Set(keys).size.should.equal(4);
      for (const key of keys) should(key).match(/^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/);
    });

    it('asks for the features once, and again after five minutes', async () => {
      await Promise.all([start(), start(), upload()]);
      service.count('GET', FORMATS).should.equal(1);
      await clock.sleep(300_001);
      await start();
      service.count('GET', FORMATS).should.equal(2);
    });

    it('asks for the features again after featuresValidMs', async () => {
      await reopen({ limits: { featuresValidMs: 1_000 } });
      await start();
      await clock.sleep(1_001);
      await start();
      service.count('GET', FORMATS).should.equal(2);
    });

    it('does not ask again if importExtensions has read the page', async () => {
      await client.importExtensions();
      await upload();
      service.count('GET', FORMATS).should.equal(1);
      findKeys(UPLOAD).should.not.containEql(undefined);
    });

    it('repeats a start whose reply was lost with the same key: one operation', async () => {
      service.fault('POST', START, loseReply, 3);
      const { operationId } = await start();
      [...service.operations.keys()].should.deepEqual([operationId]);
      findKeys(START).should.have.length(4);
      new Set(findKeys(START)).size.should.equal(1);
    });

    for (const [title, fault] of [
      ['after 500', replyWithError(500, 'Sorry.')],
      ['after 502 of a gateway', replyWithError(502, 'Sorry.')],
      ['after a web page instead of a reply', replyWith(200, '<html>')],
    ] as const)
      it(`repeats a start ${title}`, async () => {
        service.fault('POST', START, fault, 2);
        await start();
        service.operations.size.should.equal(1);
      });

    it('does not call onQueueFull after a lost reply: the service may have accepted the start', async () => {
      const errors = [{ code: 50302, message: 'The queue is full.' }];
      service.fault('POST', START, loseReply);
      service.fault('POST', START, replyWith(503, { errors }), 2);
      const onQueueFull = () => Promise.reject(new Error('The start was ended.'));
      await client.start('repair', { inputId: randomUUID() }, { onQueueFull });
      service.operations.size.should.equal(1);
    });

    it('repeats an upload whose reply was lost with the same key: one file', async () => {
      service.fault('POST', UPLOAD, loseReply, 3);
      const { fileId } = await upload();
      [...service.files.keys()].should.deepEqual([fileId]);
    });

    it('repeats an upload with another key if the file was changed after the first attempt', async () => {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'changed-file-'));
      const file = path.join(folder, 'a.stl');
      try {
        await writeFile(file, 'solid');
        service.fault('POST', UPLOAD, async (request, reply) => {
          await writeFile(file, 'other');
          await utimes(file, 1, 1);
          return loseReply(request, reply);
        });
        service.fault('POST', UPLOAD, loseReply);
        await client.upload({ path: file });
      } finally {
        await rm(folder, { recursive: true });
      }
      const [first, second, third] = findKeys(UPLOAD);
      should(second).be.a.String().and.not.equal(first);
      should(third).equal(second);
    });

    it('repeats the upload of a stream of unknown length, which is in a temporary file', async () => {
      service.fault('POST', UPLOAD, loseReply, 2);
      await client.upload({ stream: Readable.from([Buffer.from('solid')]), filename: 'a.stl' });
      service.files.size.should.equal(1);
    });

    it('does not repeat the upload of a stream that can be read only once', async () => {
      service.fault('POST', UPLOAD, loseReply, 2);
      const source = { stream: Readable.from([Buffer.from('solid')]), filename: 'a.stl', size: 5 };
      (await expectClientError(client.upload(source))).code.should.equal('CONNECTION_FAILED');
      service.count('POST', UPLOAD).should.equal(1);
    });

    it(`makes ${START_COUNT} starts with lost replies into as many operations`, async () => {
      await reopen({ limits: { retriesPerSecond: 10_000 } });
      const attempts = new Map<unknown, number>();
      const loseTwo: Fault = (request, reply) => {
        const key = request.headers['idempotency-key'];
        attempts.set(key, (attempts.get(key) ?? 0) + 1);
        return (attempts.get(key) ?? 0) > 2 ? false : loseReply(request, reply);
      };
      service.fault('POST', START, loseTwo, 1e9);
      const handles = await Promise.all(Array.from({ length: START_COUNT }, start));
      new Set(handles.map(({ operationId }) => operationId)).size.should.equal(START_COUNT);
      service.operations.size.should.equal(START_COUNT);
    });

    it('uses keys although the reply to its question is lost or delayed by errors', async () => {
      service.fault('GET', FORMATS, dropConnection, 2);
      service.fault('GET', FORMATS, replyWithError(503, 'Later.'), 1);
      await start();
      findKeys(START).should.not.containEql(undefined);
    });

    it('uses keys after the token expired before its question', async () => {
      await client.status(service.addOperation('repair'));
      service.revokeTokens();
      await start();
      await clock.sleep(30_001);
      await start();
      should(findKeys(START).at(-1)).be.a.String();
    });

    it('uses keys although the page cannot be read again', async () => {
      await start();
      service.fault('GET', FORMATS, replyWithError(500, 'Sorry.'), 99);
      service.fault('POST', START, loseReply, 1);
      for (let count = 0; count < 3; count += 1) {
        await clock.sleep(300_001);
        await start();
      }
      findKeys(START).should.not.containEql(undefined);
      service.operations.size.should.equal(4);
    });

    it('sends no key unless the option is set, and does not ask', async () => {
      await reopen({ idempotencyKeys: false });
      await Promise.all([start(), upload()]);
      [...findKeys(START), ...findKeys(UPLOAD)].should.deepEqual([undefined, undefined]);
      service.count('GET', FORMATS).should.equal(0);
    });
  });

  describe('and a service that does not announce them', () => {
    it('sends the same requests as without the option, and asks once in five minutes', async () => {
      const inputId = randomUUID();
      const record = async () => {
        service.requests.length = 0;
        await client.start('repair', { inputId });
        const { headers, body, path } = service.requests.findLast(({ method }) => method === 'POST') ?? {};
        const { authorization: _token, ...others } = headers ?? {};
        return { headers: others, body, path };
      };
      const withOption = await record();
      await record();
      service.count('GET', FORMATS).should.equal(0);
      await reopen({ idempotencyKeys: false });
      (await record()).should.deepEqual(withOption);
    });

    it('fails with OUTCOME_UNKNOWN if the reply to a start is lost', async () => {
      service.fault('POST', START, loseReply, 9);
      (await expectClientError(start())).code.should.equal('OUTCOME_UNKNOWN');
      service.count('POST', START).should.equal(1);
    });

    for (const [title, fault] of [
      ['with other features', replyWith(200, { features: ['cancel'] })],
      ['with an invalid list', replyWith(200, { features: { 'idempotency-key': true } })],
      ['that is a web page', replyWith(200, '<html>')],
      ['that is refused with 401', replyWithError(401, 'No.')],
      ['that is refused with 403', replyWithError(403, 'No.')],
      ['that always fails', replyWithError(500, 'Sorry.')],
    ] as const)
      it(`sends no key after a page ${title}`, async () => {
        service.fault('GET', FORMATS, fault, 99);
        await start();
        findKeys(START).should.deepEqual([undefined]);
      });

    it('does not ask again within 30 s after a page that hung', async () => {
      service.fault('GET', FORMATS, neverReply, 99);
      await reopen({ limits: { featuresTimeoutMs: 300 }, now: () => performance.now() });
      await start();
      const requestCount = service.count('GET', FORMATS);
      await start();
      service.count('GET', FORMATS).should.equal(requestCount);
    });
  });

  it('ends with ABORTED while it waits for the features', async () => {
    service.fault('GET', FORMATS, neverReply, 99);
    const controller = new AbortController();
    const started = expectClientError(client.start('repair', { inputId: randomUUID() }, { signal: controller.signal }));
    controller.abort();
    (await started).code.should.equal('ABORTED');
    const closed = expectClientError(start());
    await client.close();
    (await closed).code.should.equal('ABORTED');
  });
});
