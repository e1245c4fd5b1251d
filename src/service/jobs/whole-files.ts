import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024 * 1024;

/** Reads a whole file into memory. Unlike `readFileSync`, also reads files larger than 2 GiB. */
export function readFileFully(file: string): Uint8Array {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = new Uint8Array(fstatSync(descriptor).size);
    for (let offset = 0; offset < bytes.length; ) {
      const count = readSync(descriptor, bytes, offset, Math.min(CHUNK_BYTES, bytes.length - offset), null);
      if (count === 0) throw new Error(`Could not read ${file}: it was truncated while reading.`);
      offset += count;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** Writes chunks to a new file, which is not synced: `BlobStore.commit` does that. */
export function writeFileFully(file: string, chunks: Iterable<Uint8Array>): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    for (const chunk of chunks) {
      for (let offset = 0; offset < chunk.length; ) {
        offset += writeSync(descriptor, chunk, offset, Math.min(CHUNK_BYTES, chunk.length - offset));
      }
    }
  } finally {
    closeSync(descriptor);
  }
}
