import { randomBytes } from 'node:crypto';
import 'should';
import { type BlockBuffers, BUFFER_BYTES } from '../../../../src/service/blobs/block-buffers.js';
import type { BorrowedChunks } from '../../../../src/service/blobs/read-double-buffered.js';
import { type BodyPart, createReportBody, createReportBuffers } from '../../../../src/service/http/web/report-body.js';

async function readAll(chunks: BorrowedChunks): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

/** Reads bytes in chunks of a length that is no multiple of three. */
function createFile(bytes: Buffer, chunkBytes: number) {
  return {
    size: bytes.length,
    async *readFrom(offset: number): BorrowedChunks {
      for (let i = offset; i < bytes.length; i += chunkBytes) yield bytes.subarray(i, i + chunkBytes);
    },
  };
}

/** Reads zeros with buffers of `buffers`, as a stored file is read. */
function createZeros(size: number, buffers: BlockBuffers) {
  return {
    size,
    async *readFrom(offset: number): BorrowedChunks {
      const pair = await buffers.acquire();
      try {
        for (let i = offset; i < size; i += BUFFER_BYTES) yield pair[0].fill(0).subarray(0, size - i);
      } finally {
        buffers.release(pair);
      }
    },
  };
}

describe('createReportBody', () => {
  for (const size of [0, 1, 2, 3, 4, 100, 1_000_003]) {
    it(`inserts a file of ${size} bytes as base64, from any offset`, async () => {
      const bytes = randomBytes(size);
      const expected = Buffer.from(`<${bytes.toString('base64')}>é`);
      for (const chunkBytes of [1, 2, 7, 100_000].filter((length) => size / length < 1000)) {
        const body = createReportBody([Buffer.from('<'), createFile(bytes, chunkBytes), Buffer.from('>é')]);
        body.size.should.equal(expected.length);
        for (const offset of [0, 1, 2, 3, 4, 5, 6, expected.length - 3, expected.length]) {
          (await readAll(body.readFrom(Math.max(0, offset))))
            .equals(expected.subarray(Math.max(0, offset)))
            .should.be.true();
        }
      }
    });
  }

  it('has at most 8 MiB of buffers in use, also for a hundred bodies of 100 MB that are read at once', async () => {
    const buffers = createReportBuffers();
    let [acquired, most] = [0, 0];
    const counted = {
      acquire: () =>
        buffers.acquire().then((pair) => {
          most = Math.max(most, ++acquired * pair.length * BUFFER_BYTES);
          return pair;
        }),
      release: (pair: [Buffer, Buffer]) => {
        acquired -= 1;
        buffers.release(pair);
      },
    } as BlockBuffers;
    const parts: BodyPart[] = [Buffer.from('<'), createZeros(100e6, counted)];
    const readers = Array.from({ length: 100 }, () => createReportBody(parts).readFrom(0));
    for (const reader of readers) await reader.next(); // the text, for which no buffer is needed
    most.should.equal(0);
    const waiting = readers.map((reader) => reader.next());
    await Promise.race(waiting);
    await Promise.all(readers.slice(0, 4).map((reader, i) => waiting[i]?.then(() => reader.return())));
    await Promise.all(waiting.map((each, i) => each.then(() => readers[i]?.return())));
    most.should.equal(8 * 1024 * 1024);
  });
});
