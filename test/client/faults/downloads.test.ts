import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import 'should';
import type { Client, DownloadTarget } from '../../../src/client/index.js';
import { toWriteError } from '../../../src/client/transfers/write-error.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { type Fault, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { closeGracefully, raw, reset } from '../../helpers/socket-faults.js';

import { registerTransferBench } from '../support/transfer-bench.js';

const FILE = /operation\/file\//;
const BYTES = Buffer.from('0123456789'.repeat(400_000));
const TAG = '"v1"';

describe('Client with transfer faults', () => {
  let service: FakeService;
  let client: Client;
  const { folder, listFolder } = registerTransferBench((bench) => ({ service, client } = bench), {});

  for (const target of ['buffer', 'file'] as const) {
    describe(`in a download to a ${target}`, () => {
      const createTarget = (): DownloadTarget =>
        target === 'file' ? { to: 'file', folder, filename: 'part.stl' } : { to: 'buffer' };
      const fetch = async (fileId: string): Promise<Buffer> => {
        const file = await client.download(fileId, createTarget());
        return file.data ?? readFileSync(file.path ?? '');
      };
      const expectComplete = async () => {
        (await fetch(service.addFile(BYTES, { etag: TAG }))).equals(BYTES).should.be.true();
        listFolder().should.eql(target === 'file' ? ['part.stl'] : []);
      };
      const expectFailure = async (code: string) => {
        (await expectClientError(fetch(service.addFile(BYTES)))).code.should.equal(code);
        listFolder().should.eql([]);
      };
      /** Sends the headers and the first `byteCount` bytes, then calls `then`. */
      const sendPart =
        (byteCount: number, headers: Record<string, string>, then: Fault, status = 200): Fault =>
        (request, reply) => {
          reply.writeHead(status, headers);
          reply.write(BYTES.subarray(0, byteCount), () => void then(request, reply));
        };
      const HALF = BYTES.length / 2;
      const LENGTH = { 'Content-Length': String(BYTES.length) };

      for (const [event, then] of [
        ['reset', reset],
        ['closed', closeGracefully],
      ] as const) {
        it(`completes a file with a length after the connection was ${event}`, async () => {
          for (const headers of [{ ...LENGTH, ETag: TAG }, LENGTH]) {
            service.fault('GET', FILE, sendPart(HALF, headers, then));
            await expectComplete();
            if (target === 'file') rmSync(path.join(folder, 'part.stl'));
          }
        });

        it(`completes a chunked file after the connection was ${event}`, async () => {
          service.fault('GET', FILE, sendPart(HALF, { ETag: TAG }, then));
          await expectComplete();
        });

        it(`fails after ten attempts without a file if the connection is ${event} each time`, async () => {
          service.fault('GET', FILE, sendPart(HALF, LENGTH, then), 99);
          await expectFailure('CONNECTION_FAILED');
          service.count('GET', FILE).should.equal(10);
        });
      }

      it('starts over if a range contains more bytes than announced', async () => {
        service.fault('GET', FILE, sendPart(HALF, { ...LENGTH, ETag: TAG }, reset));
        service.fault('GET', FILE, (request, reply) => {
          const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
          reply.writeHead(206, { 'Content-Range': `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` });
          reply.end(BYTES);
        });
        await expectComplete();
        service.count('GET', FILE).should.equal(3);
      });

      it('continues if a range contains fewer bytes than announced', async () => {
        service.fault('GET', FILE, sendPart(HALF, { ...LENGTH, ETag: TAG }, reset));
        service.fault('GET', FILE, (request, reply) => {
          const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
          reply.writeHead(206, { 'Content-Range': `bytes ${from}-${BYTES.length - 1}/${BYTES.length}`, ETag: TAG });
          reply.end(BYTES.subarray(from, from + 10));
        });
        await expectComplete();
      });

      it('does not store bytes beyond the Content-Length', async () => {
        service.fault(
          'GET',
          FILE,
          raw(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n${'x'.repeat(50)}`),
        );
        const file = await fetch(service.addFile(BYTES)).then(String, (error) => error.code);
        file.should.match(/^(x{5}|BAD_REPLY|CONNECTION_FAILED)$/);
      });

      it('sets isVerified to false if the connection closes and no length was sent', async () => {
        service.fault('GET', FILE, raw(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf of it`));
        (await client.download(service.addFile(BYTES), createTarget())).should.containEql({
          isVerified: false,
          size: 10,
        });
      });

      it('fails with BAD_REPLY and without a file if the HTTP is malformed each time', async () => {
        service.fault('GET', FILE, raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc'), 9);
        await expectFailure('BAD_REPLY');
      });

      for (const [description, fault, code] of [
        ['an error page', replyWith(500, '<html>oops'), 'REFUSED'],
        ['an unknown file', replyWithError(404, 'unknown'), 'NOT_FOUND'],
        ['a redirect', replyWith(302, 'x', { Location: 'http://elsewhere.test/' }), 'BAD_REPLY'],
      ] as [string, Fault, string][]) {
        it(`fails with ${code} and without a file for ${description}`, async () => {
          service.fault('GET', FILE, fault, 9);
          await expectFailure(code);
        });
      }
    });
  }

  describe('in the target folder of a download', () => {
    it('fails with FILE_UNWRITABLE if the folder is deleted during the download', async () => {
      const deleted = path.join(folder, 'deleted');
      mkdirSync(deleted);
      service.fault('GET', FILE, () => {
        rmSync(deleted, { recursive: true });
        return false;
      });
      const target: DownloadTarget = { to: 'file', folder: deleted, filename: 'part.stl' };
      const error = await expectClientError(client.download(service.addFile(BYTES), target));
      error.code.should.equal('FILE_UNWRITABLE');
      error.message.should.containEql('part.stl');
      listFolder().should.eql([]);
    });

    it('fails with FILE_UNWRITABLE before any request if the file system does not support folders', async () => {
      const target: DownloadTarget = { to: 'file', folder: '/proc/no/such/folder', filename: 'part.stl' };
      (await expectClientError(client.download(service.addFile(BYTES), target))).code.should.equal('FILE_UNWRITABLE');
      service.requests.should.eql([]);
    });

    it('converts system errors to DISK_FULL or FILE_UNWRITABLE, with the code in the message', () => {
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
