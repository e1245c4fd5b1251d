import { open } from 'node:fs/promises';
import { BlobDamagedError } from './blob-damage.js';
import { BlockBuffers } from './block-buffers.js';

/** Chunks of a file in two alternating buffers. A chunk is valid until the chunk after next is requested. */
export type BorrowedChunks = AsyncGenerator<Buffer, void, undefined>;

/**
 * Reads the bytes of `file` from `start` to `end`, both inclusive. Reusing two buffers avoids that the system maps and
 * clears new memory for each chunk, which took a third of the time. `buffers` lends them. Default: its own. Throws the
 * system's error, or `BlobDamagedError` if the file is shorter.
 */
export async function* readDoubleBuffered(
  file: string,
  start: number,
  end: number,
  buffers = new BlockBuffers(),
): BorrowedChunks {
  const handle = await open(file);
  const pair = await buffers.take();
  try {
    for (let offset = start; offset <= end; ) {
      const [buffer] = pair;
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - offset + 1), offset);
      if (bytesRead === 0) throw new BlobDamagedError(`Could not read ${file}: it ends at ${offset}, before ${end}.`);
      offset += bytesRead;
      pair.reverse();
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    buffers.give(pair);
    await handle.close();
  }
}
