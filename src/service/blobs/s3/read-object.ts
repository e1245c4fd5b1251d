import { BlobDamagedError } from '../blob-damage.js';
import { BlockBuffers } from '../block-buffers.js';
import { BLOCK_BYTES } from '../digest.js';
import type { BorrowedChunks } from '../read-double-buffered.js';
import { assertBlock, type BlockDigest } from '../read-verified-blocks.js';
import type { Bucket, ObjectBody } from './bucket.js';
import { storageUnavailableError } from './bucket-error.js';

// One after the other without a byte between them. A server may also cut the connection of a slow download.
const MAX_CUTS = 3;

async function getExisting(bucket: Bucket, key: string, start: number, end: number): Promise<ObjectBody> {
  const body = await bucket.get(key, start, end);
  if (!body) throw new BlobDamagedError(`The object is missing, or ends before byte ${start}.`);
  return body;
}

/**
 * Reads the bytes of an object from `start` to `end`, both inclusive, as they arrive. Continues after a connection was
 * cut. `size`: of the whole object, if it is known. Throws `BlobDamagedError` if it is missing or has another size, or
 * `STORAGE_UNAVAILABLE`.
 */
export async function* readObject(
  bucket: Bucket,
  key: string,
  start: number,
  end: number,
  size?: number,
): BorrowedChunks {
  let offset = start;
  for (let cuts = 0; offset <= end; cuts++) {
    const { stream, totalBytes } = await getExisting(bucket, key, offset, end);
    try {
      if (totalBytes !== (size ?? totalBytes) || totalBytes <= end) {
        throw new BlobDamagedError(`The object has ${totalBytes} instead of ${size ?? 'more'} bytes.`);
      }
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        offset += chunk.length;
        cuts = 0;
        yield chunk;
      }
    } catch (error) {
      if (error instanceof BlobDamagedError) throw error;
      if (cuts + 1 >= MAX_CUTS) throw storageUnavailableError(error);
    } finally {
      stream.destroy();
    }
  }
}

/**
 * Reads the bytes of an object from `start` to `end`, both inclusive. A block is read and checked as a whole before any
 * of its bytes is returned. `buffers`: as in `readDoubleBuffered`. Throws as `readObject`, also if a block is not the
 * stored one.
 */
export async function* readVerifiedObject(
  bucket: Bucket,
  key: string,
  start: number,
  end: number,
  { size, blockCrcs }: BlockDigest,
  buffers = new BlockBuffers(),
): BorrowedChunks {
  const first = start - (start % BLOCK_BYTES);
  const last = Math.min(size, end - (end % BLOCK_BYTES) + BLOCK_BYTES) - 1;
  const pair = await buffers.acquire();
  try {
    let offset = first; // of the block that fills
    let filled = 0;
    for await (const chunk of readObject(bucket, key, first, last, size)) {
      for (let used = 0; used < chunk.length; ) {
        const block = pair[0].subarray(0, Math.min(BLOCK_BYTES, size - offset));
        const count = chunk.copy(block, filled, used);
        used += count;
        filled += count;
        if (filled < block.length) continue;
        assertBlock(block, offset / BLOCK_BYTES, blockCrcs);
        pair.reverse();
        yield block.subarray(Math.max(0, start - offset), end + 1 - offset);
        offset += filled;
        filled = 0;
      }
    }
  } finally {
    buffers.release(pair);
  }
}
