import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import should from 'should';
import { type Client, createClient, type DownloadTarget } from '../../../src/client/index.js';
import { toWriteError } from '../../../src/client/transfers/write-error.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { answer, FakeService, type Fault, refusal } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';
import { closeGracefully, cutAfterRequest, raw, refuseEarly, reset } from '../../helpers/socket-faults.js';

const UPLOAD = /operation\/file$/;
const FILE = /operation\/file\//;
const BYTES = Buffer.from('0123456789'.repeat(400_000));
const TAG = '"v1"';

function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return ''; // closed meanwhile
  }
}

describe('faults of transfers', () => {
  let service: FakeService;
  let client: Client;
  let folder: string;

  beforeEach(async () => {
    service = await FakeService.start();
    folder = mkdtempSync(path.join(os.tmpdir(), 'transfer-faults-'));
    const limits = { idleTimeoutMs: 200, uploadReplyTimeoutMs: 300 };
    client = createClient({ account: service.account, limits, ...new InstantClock() });
  });
  afterEach(async () => {
    await client.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const inFolder = () => readdirSync(folder);
  /** How often the file is open in this process. */
  const openFiles = (name: string) =>
    readdirSync('/proc/self/fd')
      .map(targetOf)
      .filter((target) => target.endsWith(name)).length;

  describe('of an upload', () => {
    const send = async () => {
      const file = path.join(folder, 'part.stl');
      writeFileSync(file, Buffer.alloc(16 << 20));
      return client.upload({ path: file });
    };

    const inTheMiddle =
      (then: Fault): Fault =>
      (request, reply) => {
        request.once('data', () => then(request, reply));
      };

    for (const [what, fault, attemptCount] of [
      ['reset in the middle', inTheMiddle(reset), 10],
      ['ended in the middle', inTheMiddle(closeGracefully), 10],
      ['cut after the last byte: the reply is lost', cutAfterRequest, 10],
      ['read no more', (request) => void request.socket.pause(), 4],
      ['read to the end, and nothing is answered', async (request) => void request.resume(), 4],
    ] as [string, Fault, number][]) {
      it(`${what}: sent once more from its start, and its file is closed`, async () => {
        service.fault('POST', UPLOAD, fault);
        (await send()).should.have.property('fileId');
        service.count('POST', UPLOAD).should.equal(2);
        should(service.requests.at(-1)?.bodyBytes).be.above(16 << 20);
        openFiles('part.stl').should.equal(0);
      });

      it(`${what}, again and again: given up after ${attemptCount} attempts, and its file is closed`, async () => {
        service.fault('POST', UPLOAD, fault, 99);
        (await expectClientError(send())).code.should.equal(attemptCount === 4 ? 'TIMEOUT' : 'CONNECTION_FAILED');
        service.count('POST', UPLOAD).should.equal(attemptCount);
        openFiles('part.stl').should.equal(0);
      });
    }

    it('refused early with 413: told so, not that the connection broke, and not sent again', async () => {
      service.fault('POST', UPLOAD, refuseEarly(413, 'The file is too large.'), 9);
      (await expectClientError(send())).should.have.properties({ code: 'REFUSED', statusCode: 413 });
      service.count('POST', UPLOAD).should.equal(1);
      openFiles('part.stl').should.equal(0);
    });

    it('refused with 413 and the connection cut under its bytes: told so, not that the connection broke, and not sent again', async () => {
      const source = new PassThrough();
      service.ignoresContinue = true;
      const refuseAndCut: Fault = ({ socket }) => {
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
        socket.destroy();
        // In the same turn of the event loop: it is written before the reply can be read.
        source.end(Buffer.alloc(1 << 20));
      };
      service.fault(
        'POST',
        UPLOAD,
        (request, reply) => void request.once('data', () => refuseAndCut(request, reply)),
        9,
      );
      source.write(Buffer.alloc(1 << 16));
      const upload = client.upload({ stream: source, filename: 'part.stl', size: (1 << 16) + (1 << 20) });
      (await expectClientError(upload)).should.have.properties({ code: 'REFUSED', statusCode: 413 });
      service.count('POST', UPLOAD).should.equal(1);
    });

    it('refused while it waits to be asked for: none of its bytes is sent', async () => {
      let bodyBytes = 0;
      service.refuseContinue((socket) => {
        socket.on('data', (bytes) => {
          bodyBytes += bytes.length;
        });
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
      }, 9);
      (await expectClientError(send())).should.have.properties({ code: 'REFUSED', statusCode: 413 });
      bodyBytes.should.equal(0);
    });

    it('refused early with 401: sent again with a new token', async () => {
      await client.describe();
      service.fault('POST', UPLOAD, refuseEarly(401, 'no'));
      (await send()).should.have.property('fileId');
      service.count('POST', UPLOAD).should.equal(2);
      service.count('POST', /^\/token$/i).should.equal(2);
    });
  });

  for (const target of ['buffer', 'file'] as const) {
    describe(`of a download to a ${target}`, () => {
      const fetch = async (fileId: string): Promise<Buffer> => {
        const place: DownloadTarget =
          target === 'file' ? { to: 'file', folder, filename: 'part.stl' } : { to: 'buffer' };
        const file = await client.download(fileId, place);
        return file.data ?? readFileSync(file.path ?? '');
      };
      const isWhole = async () => {
        (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
        inFolder().should.eql(target === 'file' ? ['part.stl'] : []);
      };
      const fails = async (code: string) => {
        (await expectClientError(fetch(service.addFile(BYTES)))).code.should.equal(code);
        inFolder().should.eql([]);
      };
      /** So many bytes under these headers, and then this. */
      const partly =
        (byteCount: number, headers: Record<string, string>, then: Fault, status = 200): Fault =>
        (request, reply) => {
          reply.writeHead(status, headers);
          reply.write(BYTES.subarray(0, byteCount), () => void then(request, reply));
        };
      const HALF = BYTES.length / 2;
      const LENGTH = { 'Content-Length': String(BYTES.length) };

      for (const [what, then] of [
        ['reset', reset],
        ['ended', closeGracefully],
      ] as const) {
        it(`with a length, ${what} in the middle: it goes on or starts over, and the file is whole`, async () => {
          for (const headers of [{ ...LENGTH, ETag: TAG }, LENGTH]) {
            service.fault('GET', FILE, partly(HALF, headers, then));
            await isWhole();
            if (target === 'file') rmSync(path.join(folder, 'part.stl'));
          }
        });

        it(`in chunks, ${what} in the middle: it starts over, and the file is whole`, async () => {
          service.fault('GET', FILE, partly(HALF, { ETag: TAG }, then));
          await isWhole();
        });

        it(`${what} in the middle, again and again: an error, and no file`, async () => {
          service.fault('GET', FILE, partly(HALF, LENGTH, then), 99);
          await fails('CONNECTION_FAILED');
          service.count('GET', FILE).should.equal(10);
        });
      }

      it('of a part that is longer than it said: it starts over, and the file is whole', async () => {
        service.fault('GET', FILE, partly(HALF, { ...LENGTH, ETag: TAG }, reset));
        service.fault('GET', FILE, (request, reply) => {
          const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
          reply.writeHead(206, { 'Content-Range': `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` });
          reply.end(BYTES);
        });
        await isWhole();
        service.count('GET', FILE).should.equal(3);
      });

      it('of a part that is shorter than it said: it goes on, and the file is whole', async () => {
        service.fault('GET', FILE, partly(HALF, { ...LENGTH, ETag: TAG }, reset));
        service.fault('GET', FILE, (request, reply) => {
          const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
          reply.writeHead(206, { 'Content-Range': `bytes ${from}-${BYTES.length - 1}/${BYTES.length}`, ETag: TAG });
          reply.end(BYTES.subarray(from, from + 10));
        });
        await isWhole();
      });

      it('with more bytes than were announced: none of them gets into the file', async () => {
        service.fault(
          'GET',
          FILE,
          raw(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n${'x'.repeat(50)}`),
        );
        const file = await fetch(service.addFile(BYTES)).then(String, (error) => error.code);
        file.should.match(/^(x{5}|BAD_REPLY|CONNECTION_FAILED)$/);
      });

      it('that closes without a length: it cannot be seen whether all came, and that is said', async () => {
        service.fault('GET', FILE, raw(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf of it`));
        const place: DownloadTarget =
          target === 'file' ? { to: 'file', folder, filename: 'part.stl' } : { to: 'buffer' };
        (await client.download(service.addFile(BYTES), place)).should.containEql({ isVerified: false, size: 10 });
      });

      it('with malformed HTTP, again and again: an error, and no file', async () => {
        service.fault('GET', FILE, raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc'), 9);
        await fails('BAD_REPLY');
      });

      for (const [what, fault, code] of [
        ['an error page', answer(500, '<html>oops'), 'REFUSED'],
        ['an unknown file', refusal(404, 'unknown'), 'NOT_FOUND'],
        ['a redirect', answer(302, 'x', { Location: 'http://elsewhere.test/' }), 'BAD_REPLY'],
      ] as [string, Fault, string][]) {
        it(`that is ${what}: an error, and no file`, async () => {
          service.fault('GET', FILE, fault, 9);
          await fails(code);
        });
      }
    });
  }

  describe('of the place where a download goes', () => {
    it('the folder vanishes on the way: an error, and nothing is left', async () => {
      const gone = path.join(folder, 'gone');
      mkdirSync(gone);
      service.fault('GET', FILE, () => {
        rmSync(gone, { recursive: true });
        return false;
      });
      const target: DownloadTarget = { to: 'file', folder: gone, filename: 'part.stl' };
      const error = await expectClientError(client.download(service.addFile(BYTES), target));
      error.code.should.equal('FILE_UNWRITABLE');
      error.message.should.containEql('part.stl');
      inFolder().should.eql([]);
    });

    it('a file system takes no folders: an error at once', async () => {
      const target: DownloadTarget = { to: 'file', folder: '/proc/no/such/folder', filename: 'part.stl' };
      (await expectClientError(client.download(service.addFile(BYTES), target))).code.should.equal('FILE_UNWRITABLE');
      service.requests.should.eql([]);
    });

    it('no space and no permission: DISK_FULL and FILE_UNWRITABLE, with the code of the system', () => {
      for (const [system, code] of [
        ['ENOSPC', 'DISK_FULL'],
        ['EDQUOT', 'DISK_FULL'],
        ['EACCES', 'FILE_UNWRITABLE'],
        ['EROFS', 'FILE_UNWRITABLE'],
      ] as const) {
        const error = toWriteError(Object.assign(new Error('no'), { code: system }), '/a/part.stl');
        error.code.should.equal(code);
        error.message.should.containEql(system);
      }
    });
  });
});
