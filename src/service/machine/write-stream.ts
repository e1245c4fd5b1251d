import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

// The socket gives 64 KiB at a time; writing 1 MiB at a time is twice as fast and takes no more memory.
const BUFFER_BYTES = 1024 * 1024;

/**
 * Writes a stream to a new file, at most `mostBytes` of it; answers how many. Beyond that it throws what `tooLarge` makes. The file is
 * not synced, and stays when this throws.
 */
export const writeStream = async (
  source: Readable,
  file: string,
  mostBytes: number,
  tooLarge: () => Error,
): Promise<number> => {
  const handle = await open(file, 'wx', 0o600);
  try {
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    let filled = 0;
    let size = 0;
    const flush = async (): Promise<void> => {
      for (let written = 0; written < filled; ) {
        written += (await handle.write(buffer, written, filled - written)).bytesWritten;
      }
      filled = 0;
    };
    for await (const chunk of source as AsyncIterable<Buffer>) {
      // a byte stream without encoding gives Buffers
      size += chunk.length;
      if (size > mostBytes) throw tooLarge();
      for (let taken = 0; taken < chunk.length; ) {
        const copied = chunk.copy(buffer, filled, taken);
        taken += copied;
        filled += copied;
        if (filled === buffer.length) await flush();
      }
    }
    await flush();
    return size;
  } finally {
    await handle.close();
  }
};
