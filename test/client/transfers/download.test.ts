import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { type Client, createClient, type DownloadTarget } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { type Fault, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import { FakeService } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';

const FILE = /operation\/file\//;
const BYTES = randomBytes(3 << 20);
const TAG = '"v1"';
const STEP_BYTES = 256 << 10;

/** Sends `stepBytes` of the requested range, then closes the connection. */
function closeAfterStep(bytes: Buffer, request: IncomingMessage, reply: ServerResponse, stepBytes = STEP_BYTES): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const headers = { 'Content-Length': bytes.length - from, ETag: TAG };
  const range = { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  reply.writeHead(from > 0 ? 206 : 200, from > 0 ? { ...headers, ...range } : headers);
  if (bytes.length - from <= stepBytes) reply.end(bytes.subarray(from));
  // A graceful close: a reset could discard bytes that were already received.
  else reply.write(bytes.subarray(from, from + stepBytes), () => reply.socket?.end());
}

describe('download', () => {
  let service: FakeService;
  let client: Client;
  let folder: string;

  beforeEach(async () => {
    service = await FakeService.start();
    folder = mkdtempSync(path.join(os.tmpdir(), 'download-test-'));
    const limits = { idleTimeoutMs: 2_000, maxBufferBytes: 4 << 20 };
    client = createClient({ account: service.account, limits, ...new InstantClock() });
  });

  afterEach(async () => {
    await client.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const toFile = (options: Partial<DownloadTarget & { to: 'file' }> = {}): DownloadTarget => ({
    to: 'file',
    folder,
    ...options,
  });
  const listFolder = () => readdirSync(folder).sort();

  it('returns the file as a Buffer', async () => {
    const fileId = service.addFile(BYTES, { disposition: 'attachment; filename="part.stl"' });
    const { data, ...rest } = await client.download(fileId, { to: 'buffer' });
    rest.should.eql({ fileId, filename: 'part.stl', size: BYTES.length, isVerified: true });
    should(data?.equals(BYTES)).be.true();
  });

  it('creates missing folders and uses the name from Content-Disposition in a safe form', async () => {
    const fileId = service.addFile(BYTES, { disposition: 'attachment; filename="../../.evil.stl"' });
    const deep = path.join(folder, 'a', 'b');
    const file = await client.download(fileId, toFile({ folder: deep }));
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

  it('prefers the filename of the target, and uses the id if there is no name', async () => {
    const fileId = service.addFile(BYTES);
    (await client.download(fileId, toFile({ filename: '../mine.stl' }))).filename.should.equal('mine.stl');
    (await client.download(fileId, toFile())).filename.should.equal(fileId);
    new Set(listFolder()).should.eql(new Set([fileId, 'mine.stl']));
  });

  it('requests identity encoding and reports its progress', async () => {
    const progress: number[] = [];
    await client.download(service.addFile(BYTES), { to: 'buffer' }, { onProgress: (bytes) => progress.push(bytes) });
    should(service.requests.at(-1)?.headers['accept-encoding']).equal('identity');
    should(progress.at(-1)).equal(BYTES.length);
  });

  it('fails with INPUT_INVALID if the file exceeds the limit maxBufferBytes', async () => {
    const fileId = service.addFile(Buffer.alloc(5 << 20));
    (await expectClientError(client.download(fileId, { to: 'buffer' }))).code.should.equal('INPUT_INVALID');
  });

  it('fails with INPUT_INVALID if the file exceeds maxBytes, and accepts exactly maxBytes', async () => {
    const fileId = service.addFile(BYTES);
    const { length } = BYTES;
    const error = await expectClientError(client.download(fileId, { to: 'buffer', maxBytes: length - 1 }));
    error.code.should.equal('INPUT_INVALID');
    error.message.should.containEql(String(length - 1));
    (await client.download(fileId, { to: 'buffer', maxBytes: length })).size.should.equal(length);
  });

  describe('to an existing filename', () => {
    beforeEach(() => writeFileSync(path.join(folder, 'part.stl'), 'old'));
    const fetch = (exists?: 'rename' | 'overwrite' | 'fail') =>
      client.download(service.addFile(BYTES), toFile({ filename: 'part.stl', ...(exists && { exists }) }));

    it('adds a number to the new name by default', async () => {
      (await fetch()).filename.should.equal('part-2.stl');
      (await fetch('rename')).filename.should.equal('part-3.stl');
      readFileSync(path.join(folder, 'part.stl'), 'utf8').should.equal('old');
    });

    it('uses a different name for each of 20 concurrent downloads', async () => {
      const files = await Promise.all(Array.from({ length: 20 }, () => fetch()));
      new Set(files.map((file) => file.path)).size.should.equal(20);
      listFolder().length.should.equal(21);
    });

    it('replaces the file if exists is overwrite', async () => {
      (await fetch('overwrite')).filename.should.equal('part.stl');
      readFileSync(path.join(folder, 'part.stl')).equals(BYTES).should.be.true();
      listFolder().should.eql(['part.stl']);
    });

    it('fails with FILE_EXISTS before any request if exists is fail', async () => {
      (await expectClientError(fetch('fail'))).code.should.equal('FILE_EXISTS');
      service.requests.should.eql([]);
      listFolder().should.eql(['part.stl']);
    });

    it('fails with FILE_EXISTS if the name is sent by the service', async () => {
      const fileId = service.addFile(BYTES, { disposition: 'attachment; filename=part.stl' });
      (await expectClientError(client.download(fileId, toFile({ exists: 'fail' })))).code.should.equal('FILE_EXISTS');
      listFolder().should.eql(['part.stl']);
    });

    it('replaces a symbolic link but not its target', async () => {
      symlinkSync(path.join(folder, 'part.stl'), path.join(folder, 'link.stl'));
      await client.download(service.addFile(BYTES), toFile({ filename: 'link.stl', exists: 'overwrite' }));
      readFileSync(path.join(folder, 'part.stl'), 'utf8').should.equal('old');
    });
  });

  /** Sends the first `byteCount` bytes of the file, then calls `then`. */
  const sendPart = (
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
      const file = await client.download(
        fileId,
        target === 'file' ? toFile({ filename: 'part.stl' }) : { to: 'buffer' },
      );
      return file.data ?? readFileSync(file.path ?? '');
    };

    describe(`to a ${target}, after a lost connection`, () => {
      it('continues at the same offset if the service sent a strong ETag', async () => {
        service.fault(
          'GET',
          FILE,
          sendPart(HALF, (reply) => reply.destroy(), { ETag: TAG }),
        );
        (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
        const { range = '', 'if-range': condition } = service.requests.at(-1)?.headers ?? {};
        should(condition).equal(TAG);
        Number(/^bytes=(\d+)-$/.exec(range)?.[1]).should.be.within(1, HALF);
      });

      it('continues after an idle timeout', async () => {
        service.fault(
          'GET',
          FILE,
          sendPart(HALF, () => {}, { ETag: TAG }),
        );
        (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
        service.count('GET', FILE).should.equal(2);
      });

      it('starts over if the ETag is weak or missing', async () => {
        for (const headers of [{ ETag: `W/${TAG}` }, {}] as Record<string, string>[]) {
          service.fault(
            'GET',
            FILE,
            sendPart(HALF, (reply) => reply.destroy(), headers),
          );
          (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
          should(service.requests.at(-1)?.headers.range).be.undefined();
        }
      });

      it('starts over if the file has changed', async () => {
        service.fault(
          'GET',
          FILE,
          sendPart(HALF, (reply) => reply.destroy(), { ETag: '"older"' }),
        );
        (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
        should(service.requests.at(-1)?.headers.range).be.String();
      });

      const invalidRanges: [description: string, fault: Fault][] = [
        ['416', replyWith(416, '')],
        ['a different range', replyWith(206, 'x', { 'Content-Range': `bytes 0-0/${BYTES.length}` })],
        ['a range of a different total length', replyWith(206, 'x', { 'Content-Range': `bytes ${HALF}-${HALF}/77` })],
        ['206 without Content-Range', replyWith(206, 'x')],
      ];
      for (const [description, fault] of invalidRanges) {
        it(`starts over if the service replies with ${description}`, async () => {
          service.fault(
            'GET',
            FILE,
            sendPart(HALF, (reply) => reply.destroy(), { ETag: TAG }),
          );
          service.fault('GET', FILE, fault);
          (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
          service.count('GET', FILE).should.equal(3);
        });
      }

      it('fails after ten attempts without progress, and leaves no file', async () => {
        service.fault(
          'GET',
          FILE,
          sendPart(HALF, (reply) => reply.destroy()),
          99,
        );
        const error = await expectClientError(fetch(service.addFile(BYTES)));
        error.code.should.equal('CONNECTION_FAILED');
        service.count('GET', FILE).should.equal(10);
        listFolder().should.eql([]);
      });

      it('continues without a limit of attempts while each makes progress', async () => {
        const large = Buffer.alloc(14 * STEP_BYTES, 'model');
        service.fault('GET', FILE, (request, reply) => closeAfterStep(large, request, reply), 99);
        (await fetch(service.addFile(large, { etag: TAG }))).equals(large).should.be.true();
        service.count('GET', FILE).should.equal(14);
      });

      it('fails after ten attempts that add less than 64 KiB each', async () => {
        service.fault('GET', FILE, (request, reply) => closeAfterStep(BYTES, request, reply, 1), 999);
        (await expectClientError(fetch(service.addFile(BYTES, { etag: TAG })))).code.should.equal('CONNECTION_FAILED');
        service.count('GET', FILE).should.equal(10);
      });
    });
  }

  it('sets isVerified to false if the reply has no Content-Length', async () => {
    service.fault('GET', FILE, (_request, reply) => {
      reply.writeHead(200, { Connection: 'close' });
      reply.useChunkedEncodingByDefault = false;
      reply.end(BYTES);
    });
    const file = await client.download(service.addFile(BYTES), toFile());
    file.isVerified.should.be.false();
    file.size.should.equal(BYTES.length);
  });

  for (const [description, fault, code] of [
    ['an error page', replyWith(500, 'oops'), 'REFUSED'],
    ['an unknown file', replyWithError(404, 'gone'), 'NOT_FOUND'],
    ['an expired file', replyWithError(410, 'gone'), 'NOT_FOUND'],
    ['a redirect', replyWith(302, '', { Location: 'http://elsewhere.test/' }), 'BAD_REPLY'],
    ['compressed bytes', replyWith(200, 'x', { 'Content-Encoding': 'gzip' }), 'BAD_REPLY'],
  ] as [string, Fault, string][]) {
    it(`fails with ${code} and writes no file for ${description}`, async () => {
      service.fault('GET', FILE, fault, 99);
      (await expectClientError(client.download(randomUUID(), toFile({ filename: 'part.stl' })))).code.should.equal(
        code,
      );
      listFolder().should.eql([]);
    });
  }

  it('fails with FILE_UNWRITABLE below a file and over a folder', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    const within = toFile({ folder: path.join(folder, 'file', 'deep') });
    (await expectClientError(client.download(service.addFile(BYTES), within))).code.should.equal('FILE_UNWRITABLE');
    mkdirSync(path.join(folder, 'taken.stl'));
    const overFolder = toFile({ filename: 'taken.stl', exists: 'overwrite' });
    (await expectClientError(client.download(service.addFile(BYTES), overFolder))).code.should.equal('FILE_UNWRITABLE');
    listFolder().should.eql(['file', 'taken.stl']);
  });

  it('throws ABORTED during the transfer and leaves no file', async () => {
    const controller = new AbortController();
    service.fault(
      'GET',
      FILE,
      sendPart(HALF, () => controller.abort()),
    );
    const fileId = service.addFile(BYTES);
    (await expectClientError(client.download(fileId, toFile(), { signal: controller.signal }))).code.should.equal(
      'ABORTED',
    );
    listFolder().should.eql([]);
  });
});
