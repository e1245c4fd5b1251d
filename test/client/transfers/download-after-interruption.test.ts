import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { type Fault, replyWith } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { registerTransferBench } from '../support/transfer-bench.js';

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
  const { listFolder, toFile } = registerTransferBench((bench) => ({ service, client } = bench));

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
