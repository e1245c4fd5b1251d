import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import type { Fault } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { registerTransferBench } from '../support/transfer-bench.js';

const FILE = /operation\/file\//;
const BYTES = randomBytes(1 << 20);
const TAG = '"v1"';

function digestOf(bytes: Buffer): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

/** Returns a copy with one bit flipped. */
function damage(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ 1, offset);
  return copy;
}

/** Sends the requested range of `bytes` with the digest of `BYTES`, at most up to the offset `end`. */
function sendUpTo(end: number, bytes: Buffer): Fault {
  return (request, reply) => {
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const headers = { 'Content-Length': bytes.length - start, ETag: TAG, 'Repr-Digest': digestOf(BYTES) };
    const range = { 'Content-Range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
    reply.writeHead(start > 0 ? 206 : 200, start > 0 ? { ...headers, ...range } : headers);
    if (end >= bytes.length) reply.end(bytes.subarray(start));
    // A graceful close: a reset could discard bytes that were already received.
    else reply.write(bytes.subarray(start, Math.max(start, end)), () => reply.socket?.end());
  };
}

describe('download with a Repr-Digest', () => {
  let service: FakeService;
  let client: Client;
  const { listFolder, toFile } = registerTransferBench((bench) => ({ service, client } = bench));
  const SOUND = { etag: TAG, digest: digestOf(BYTES) };

  for (const target of ['buffer', 'file'] as const) {
    describe(`to a ${target}`, () => {
      const fetch = async (fileId: string): Promise<Buffer> => {
        const file = await client.download(
          fileId,
          target === 'file' ? toFile({ exists: 'overwrite' }) : { to: 'buffer' },
        );
        return file.data ?? readFileSync(file.path ?? '');
      };

      it('returns the file after one request if the bytes match', async () => {
        (await fetch(service.addFile(BYTES, SOUND))).equals(BYTES).should.be.true();
        service.count('GET', FILE).should.equal(1);
      });

      it('downloads the file once more from the start if a byte differs', async () => {
        service.fault('GET', FILE, sendUpTo(BYTES.length, damage(BYTES, 7)));
        (await fetch(service.addFile(BYTES, SOUND))).equals(BYTES).should.be.true();
        service.count('GET', FILE).should.equal(2);
        should(service.requests.at(-1)?.headers.range).be.undefined();
      });

      it('fails with BAD_REPLY and without a file if a byte differs twice', async () => {
        const error = await expectClientError(fetch(service.addFile(damage(BYTES, 7), SOUND)));
        error.code.should.equal('BAD_REPLY');
        error.message.should.containEql('SHA-256');
        service.count('GET', FILE).should.equal(2);
        listFolder().should.eql([]);
      });

      it('downloads a small file once more although the attempts before it were used up', async () => {
        const small = BYTES.subarray(0, 100);
        const fileId = service.addFile(small, { digest: digestOf(small) });
        const file = { 'Content-Length': 100, 'Repr-Digest': digestOf(small) };
        service.fault('GET', FILE, (_request, reply) => void reply.writeHead(200, file).destroy(), 9);
        service.fault('GET', FILE, (_request, reply) => void reply.writeHead(200, file).end(damage(small, 7)));
        (await fetch(fileId)).equals(small).should.be.true();
        service.count('GET', FILE).should.equal(11);
      });

      it('compares all bytes of a download that was continued', async () => {
        service.fault('GET', FILE, sendUpTo(BYTES.length / 2, damage(BYTES, 7)));
        (await fetch(service.addFile(BYTES, SOUND))).equals(BYTES).should.be.true();
        service.requests
          .filter(({ path }) => FILE.test(path))
          .map(({ headers }) => headers.range !== undefined)
          .should.eql([false, true, false]);
      });

      it('ignores a malformed header and other algorithms', async () => {
        for (const digest of ['sha-256=:AAAA:', 'md5', `sha-512=:${randomBytes(64).toString('base64')}:`]) {
          (await fetch(service.addFile(BYTES, { digest }))).equals(BYTES).should.be.true();
        }
        service.count('GET', FILE).should.equal(3);
      });

      it('never returns wrong bytes, whatever is lost or altered in the attempts', async function () {
        this.timeout(60_000);
        const attempt = fc.record({
          end: fc.integer({ min: 0, max: BYTES.length }),
          damagedAt: fc.option(fc.nat(BYTES.length - 1)),
        });
        await fc.assert(
          fc.asyncProperty(fc.array(attempt, { maxLength: 6 }), async (attempts) => {
            service.clearFaults();
            for (const { end, damagedAt } of attempts) {
              service.fault('GET', FILE, sendUpTo(end, damagedAt === null ? BYTES : damage(BYTES, damagedAt)));
            }
            const outcome = await fetch(service.addFile(BYTES, SOUND)).catch((error: { code: string }) => error.code);
            return Buffer.isBuffer(outcome) ? outcome.equals(BYTES) : outcome === 'BAD_REPLY';
          }),
          { numRuns: 60 },
        );
      });
    });
  }

  it('sets isVerified to true without a Content-Length', async () => {
    service.fault('GET', FILE, (_request, reply) => {
      reply.writeHead(200, { 'Repr-Digest': digestOf(BYTES), 'Transfer-Encoding': 'chunked' }).end(BYTES);
    });
    (await client.download(service.addFile(BYTES), { to: 'buffer' })).isVerified.should.be.true();
  });

  it('does not take a file for complete whose connection closes early without a length', async () => {
    service.fault('GET', FILE, (_request, reply) => {
      reply.useChunkedEncodingByDefault = false;
      reply.writeHead(200, { Connection: 'close', 'Repr-Digest': digestOf(BYTES) }).end(BYTES.subarray(0, 99));
    });
    const { data } = await client.download(service.addFile(BYTES, SOUND), { to: 'buffer' });
    (data?.equals(BYTES) ?? false).should.be.true();
  });
});
