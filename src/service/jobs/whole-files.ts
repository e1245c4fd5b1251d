import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024 * 1024;
// Fits into the CPU caches.
const HASH_BUFFER_BYTES = 256 * 1024;

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

/** Computes the SHA-256 of a file as hexadecimal text. */
export function hashFile(file: string): string {
  const hash = createHash('sha256');
  const buffer = new Uint8Array(HASH_BUFFER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    for (let count = 1; count > 0; ) {
      count = readSync(descriptor, buffer, 0, buffer.length, null);
      hash.update(buffer.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
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
