import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { type Client, createClient, type DownloadTarget } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { answer, FakeService, type Fault, refusal } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';

const FILE = /operation\/file\//;
const BYTES = randomBytes(3 << 20);
const TAG = '"v1"';
const STEP = 256 << 10;

/** Cuts the connection after so many bytes of the file, from where the request asks for it. */
function cutAfterStep(bytes: Buffer, request: IncomingMessage, reply: ServerResponse, step = STEP): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const headers = { 'Content-Length': bytes.length - from, ETag: TAG };
  const range = { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  reply.writeHead(from > 0 ? 206 : 200, from > 0 ? { ...headers, ...range } : headers);
  if (bytes.length - from <= step) reply.end(bytes.subarray(from));
  // A polite end: a reset could take bytes along that have arrived.
  else reply.write(bytes.subarray(from, from + step), () => reply.socket?.end());
}

describe('download', () => {
  let service: FakeService;
  let client: Client;
  let folder: string;

  beforeEach(async () => {
    service = await FakeService.start();
    folder = mkdtempSync(path.join(os.tmpdir(), 'download-test-'));
    const limits = { idleTimeoutMs: 200, maxBufferBytes: 4 << 20 };
    client = createClient({ account: service.account, limits, ...new InstantClock() });
  });

  afterEach(async () => {
    await client.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const to = (more: Partial<DownloadTarget & { to: 'file' }> = {}): DownloadTarget => ({ to: 'file', folder, ...more });
  const inFolder = () => readdirSync(folder).sort();

  it('gives a Buffer', async () => {
    const fileId = service.addFile(BYTES, { disposition: 'attachment; filename="part.stl"' });
    const { data, ...rest } = await client.download(fileId, { to: 'buffer' });
    rest.should.eql({ fileId, filename: 'part.stl', size: BYTES.length, isVerified: true });
    should(data?.equals(BYTES)).be.true();
  });

  it('writes a file under the name that the service gives, made safe, in a folder that it makes', async () => {
    const fileId = service.addFile(BYTES, { disposition: 'attachment; filename="../../.evil.stl"' });
    const deep = path.join(folder, 'a', 'b');
    const file = await client.download(fileId, to({ folder: deep }));
    file.should.eql({
      fileId,
      filename: 'evil.stl',
      size: BYTES.length,
      isVerified: true,
      path: path.join(deep, 'evil.stl'),
    });
    readFileSync(path.join(deep, 'evil.stl')).equals(BYTES).should.be.true();
    readdirSync(deep).should.eql(['evil.stl']);
  });

  it('prefers the name that the caller gives, and falls back to the id', async () => {
    const fileId = service.addFile(BYTES);
    (await client.download(fileId, to({ filename: '../mine.stl' }))).filename.should.equal('mine.stl');
    (await client.download(fileId, to())).filename.should.equal(fileId);
    new Set(inFolder()).should.eql(new Set([fileId, 'mine.stl']));
  });

  it('asks for plain bytes and tells how far it is', async () => {
    const told: number[] = [];
    await client.download(service.addFile(BYTES), { to: 'buffer' }, { onProgress: (bytes) => told.push(bytes) });
    should(service.requests.at(-1)?.headers['accept-encoding']).equal('identity');
    should(told.at(-1)).equal(BYTES.length);
  });

  it('refuses a file that is larger than a Buffer may be', async () => {
    const fileId = service.addFile(Buffer.alloc(5 << 20));
    (await expectClientError(client.download(fileId, { to: 'buffer' }))).code.should.equal('INPUT_INVALID');
  });

  it('refuses a file that is larger than this download may be, and takes one that is as large', async () => {
    const fileId = service.addFile(BYTES);
    const { length } = BYTES;
    const error = await expectClientError(client.download(fileId, { to: 'buffer', maxBytes: length - 1 }));
    error.code.should.equal('INPUT_INVALID');
    error.message.should.containEql(String(length - 1));
    (await client.download(fileId, { to: 'buffer', maxBytes: length })).size.should.equal(length);
  });

  describe('when there is a file of that name', () => {
    beforeEach(() => writeFileSync(path.join(folder, 'part.stl'), 'old'));
    const fetch = (exists?: 'rename' | 'overwrite' | 'fail') =>
      client.download(service.addFile(BYTES), to({ filename: 'part.stl', ...(exists && { exists }) }));

    it('numbers the new one', async () => {
      (await fetch()).filename.should.equal('part-2.stl');
      (await fetch('rename')).filename.should.equal('part-3.stl');
      readFileSync(path.join(folder, 'part.stl'), 'utf8').should.equal('old');
    });

    it('gives each of many at once a name of its own', async () => {
      const files = await Promise.all(Array.from({ length: 20 }, () => fetch()));
      new Set(files.map((file) => file.path)).size.should.equal(20);
      inFolder().length.should.equal(21);
    });

    it('overwrites where that is asked for', async () => {
      (await fetch('overwrite')).filename.should.equal('part.stl');
      readFileSync(path.join(folder, 'part.stl')).equals(BYTES).should.be.true();
      inFolder().should.eql(['part.stl']);
    });

    it('fails where that is asked for, before anything is fetched', async () => {
      (await expectClientError(fetch('fail'))).code.should.equal('FILE_EXISTS');
      service.requests.should.eql([]);
      inFolder().should.eql(['part.stl']);
    });

    it('fails also where the name is learned from the service', async () => {
      const fileId = service.addFile(BYTES, { disposition: 'attachment; filename=part.stl' });
      (await expectClientError(client.download(fileId, to({ exists: 'fail' })))).code.should.equal('FILE_EXISTS');
      inFolder().should.eql(['part.stl']);
    });

    it('replaces a symbolic link and leaves what it points at', async () => {
      symlinkSync(path.join(folder, 'part.stl'), path.join(folder, 'link.stl'));
      await client.download(service.addFile(BYTES), to({ filename: 'link.stl', exists: 'overwrite' }));
      readFileSync(path.join(folder, 'part.stl'), 'utf8').should.equal('old');
    });
  });

  /** Sends so many bytes of the file, then does what `then` does. */
  const partly = (
    byteCount: number,
    then: (reply: Parameters<Fault>[1]) => void,
    headers: Record<string, string> = {},
  ): Fault => {
    return (_request, reply) => {
      reply.writeHead(200, { 'Content-Length': String(BYTES.length), ...headers });
      reply.write(BYTES.subarray(0, byteCount), () => then(reply));
    };
  };
  const HALF = BYTES.length / 2;

  for (const target of ['buffer', 'file'] as const) {
    const fetch = async (fileId: string) => {
      const file = await client.download(fileId, target === 'file' ? to({ filename: 'part.stl' }) : { to: 'buffer' });
      return file.data ?? readFileSync(file.path ?? '');
    };

    describe(`to a ${target}, when it breaks off`, () => {
      it('goes on where it was if the service gave a strong tag', async () => {
        service.fault(
          'GET',
          FILE,
          partly(HALF, (reply) => reply.destroy(), { ETag: TAG }),
        );
        (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
        const { range = '', 'if-range': condition } = service.requests.at(-1)?.headers ?? {};
        should(condition).equal(TAG);
        Number(/^bytes=(\d+)-$/.exec(range)?.[1]).should.be.within(1, HALF);
      });

      it('goes on after it stands still', async () => {
        service.fault(
          'GET',
          FILE,
          partly(HALF, () => {}, { ETag: TAG }),
        );
        (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
        service.count('GET', FILE).should.equal(2);
      });

      it('starts over if the tag is weak or there is none', async () => {
        for (const headers of [{ ETag: `W/${TAG}` }, {}] as Record<string, string>[]) {
          service.fault(
            'GET',
            FILE,
            partly(HALF, (reply) => reply.destroy(), headers),
          );
          (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
          should(service.requests.at(-1)?.headers.range).be.undefined();
        }
      });

      it('starts over if the file has changed', async () => {
        service.fault(
          'GET',
          FILE,
          partly(HALF, (reply) => reply.destroy(), { ETag: '"older"' }),
        );
        (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
        should(service.requests.at(-1)?.headers.range).be.String();
      });

      const wrongRanges: [what: string, fault: Fault][] = [
        ['416', answer(416, '')],
        ['another part', answer(206, 'x', { 'Content-Range': `bytes 0-0/${BYTES.length}` })],
        ['a part of another length', answer(206, 'x', { 'Content-Range': `bytes ${HALF}-${HALF}/77` })],
        ['a part that it does not describe', answer(206, 'x')],
      ];
      for (const [what, fault] of wrongRanges) {
        it(`starts over if the service answers with ${what}`, async () => {
          service.fault(
            'GET',
            FILE,
            partly(HALF, (reply) => reply.destroy(), { ETag: TAG }),
          );
          service.fault('GET', FILE, fault);
          (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
          service.count('GET', FILE).should.equal(3);
        });
      }

      it('gives up after ten attempts of which none gets further, and leaves nothing', async () => {
        service.fault(
          'GET',
          FILE,
          partly(HALF, (reply) => reply.destroy()),
          99,
        );
        const error = await expectClientError(fetch(service.addFile(BYTES)));
        error.code.should.equal('CONNECTION_FAILED');
        service.count('GET', FILE).should.equal(10);
        inFolder().should.eql([]);
      });

      it('goes on, however often, as long as each attempt gets further', async () => {
        const large = Buffer.alloc(14 * STEP, 'model');
        service.fault('GET', FILE, (request, reply) => cutAfterStep(large, request, reply), 99);
        (await fetch(service.addFile(large, { etag: TAG }))).equals(large).should.be.true();
        service.count('GET', FILE).should.equal(14);
      });

      it('gives up where attempts get further by less than 64 KiB', async () => {
        service.fault('GET', FILE, (request, reply) => cutAfterStep(BYTES, request, reply, 1), 999);
        (await expectClientError(fetch(service.addFile(BYTES, { etag: TAG })))).code.should.equal('CONNECTION_FAILED');
        service.count('GET', FILE).should.equal(10);
      });
    });
  }

  it('says that it could not check a file whose length was not announced', async () => {
    service.fault('GET', FILE, (_request, reply) => {
      reply.writeHead(200, { Connection: 'close' });
      reply.useChunkedEncodingByDefault = false;
      reply.end(BYTES);
    });
    const file = await client.download(service.addFile(BYTES), to());
    file.isVerified.should.be.false();
    file.size.should.equal(BYTES.length);
  });

  for (const [what, fault, code] of [
    ['an error page', answer(500, 'oops'), 'REFUSED'],
    ['a refusal', refusal(404, 'gone'), 'NOT_FOUND'],
    ['an expired file', refusal(410, 'gone'), 'NOT_FOUND'],
    ['a redirect', answer(302, '', { Location: 'http://elsewhere.test/' }), 'BAD_REPLY'],
    ['compressed bytes', answer(200, 'x', { 'Content-Encoding': 'gzip' }), 'BAD_REPLY'],
  ] as [string, Fault, string][]) {
    it(`writes no file for ${what}: ${code}`, async () => {
      service.fault('GET', FILE, fault, 99);
      (await expectClientError(client.download(randomUUID(), to({ filename: 'part.stl' })))).code.should.equal(code);
      inFolder().should.eql([]);
    });
  }

  it('fails with FILE_UNWRITABLE where no file can be', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    const within = to({ folder: path.join(folder, 'file', 'deep') });
    (await expectClientError(client.download(service.addFile(BYTES), within))).code.should.equal('FILE_UNWRITABLE');
    mkdirSync(path.join(folder, 'taken.stl'));
    const over = to({ filename: 'taken.stl', exists: 'overwrite' });
    (await expectClientError(client.download(service.addFile(BYTES), over))).code.should.equal('FILE_UNWRITABLE');
    inFolder().should.eql(['file', 'taken.stl']);
  });

  it('ends with ABORTED in the middle, and leaves nothing', async () => {
    const stop = new AbortController();
    service.fault(
      'GET',
      FILE,
      partly(HALF, () => stop.abort()),
    );
    const fileId = service.addFile(BYTES);
    (await expectClientError(client.download(fileId, to(), { signal: stop.signal }))).code.should.equal('ABORTED');
    inFolder().should.eql([]);
  });
});
