import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { BlobDamagedError } from './blob-damage.js';
import { BlockBuffers } from './block-buffers.js';
import { BLOCK_BYTES, type BlobDigest, formatCrc } from './digest.js';
import type { BorrowedChunks } from './read-double-buffered.js';

/** The part of a digest by which each block of a blob can be checked on its own. */
export type BlockDigest = Pick<BlobDigest, 'size' | 'blockCrcs'>;

async function readFully(handle: FileHandle, buffer: Buffer, offset: number): Promise<void> {
  for (let filled = 0; filled < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, offset + filled);
    if (bytesRead === 0) throw new BlobDamagedError(`The file ends at byte ${offset + filled}.`);
    filled += bytesRead;
  }
}

/** Throws `BlobDamagedError` if a block is not the one that was stored. */
export function assertBlock(block: Buffer, index: number, blockCrcs: string): void {
  if (formatCrc(crc32(block)) === blockCrcs.slice(8 * index, 8 * index + 8)) return;
  const offset = index * BLOCK_BYTES;
  throw new BlobDamagedError(`The bytes ${offset} to ${offset + block.length - 1} were altered.`);
}

/**
 * Reads the bytes of an open blob from `start` to `end`, both inclusive. A block is read and checked as a whole before
 * any of its bytes is returned. `buffers`: as in `readDoubleBuffered`. Throws `BlobDamagedError` if the size or a block
 * is not the stored one, or the system's error.
 */
export async function* readVerifiedBlocks(
  handle: FileHandle,
  start: number,
  end: number,
  { size, blockCrcs }: BlockDigest,
  buffers = new BlockBuffers(),
): BorrowedChunks {
  const pair = await buffers.acquire();
  try {
    const actual = (await handle.stat()).size;
    if (actual !== size) throw new BlobDamagedError(`The file has ${actual} instead of ${size} bytes.`);
    for (let index = Math.floor(start / BLOCK_BYTES); index * BLOCK_BYTES <= end; index++) {
      const offset = index * BLOCK_BYTES;
      const block = pair[0].subarray(0, size - offset);
      await readFully(handle, block, offset);
      assertBlock(block, index, blockCrcs);
      pair.reverse();
      yield block.subarray(Math.max(0, start - offset), end + 1 - offset);
    }
  } finally {
    buffers.release(pair);
  }
}

/**
 * Checks all bytes of a blob. Throws `BlobDamagedError` if they are not the stored ones, the system's error, or the abort
 * reason of `signal`.
 */
export async function verifyBlocks(file: string, digest: BlockDigest, signal: AbortSignal): Promise<void> {
  const handle = await open(file);
  try {
    for await (const _ of readVerifiedBlocks(handle, 0, digest.size - 1, digest)) signal.throwIfAborted();
  } finally {
    await handle.close();
  }
}
