import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024 * 1024;
// Small enough for the caches of the processor.
const HASHED_BYTES = 256 * 1024;

/** A whole file in memory, also one of more than 2 GiB, which Node does not read at once. */
export function readFileFully(file: string): Uint8Array {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = new Uint8Array(fstatSync(descriptor).size);
    for (let offset = 0; offset < bytes.length; ) {
      const count = readSync(descriptor, bytes, offset, Math.min(CHUNK_BYTES, bytes.length - offset), null);
      if (count === 0) throw new Error(`${file} became shorter while it was read`);
      offset += count;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** The SHA-256 of a file, in hexadecimal digits. */
export function hashFile(file: string): string {
  const hash = createHash('sha256');
  const piece = new Uint8Array(HASHED_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    for (let count = 1; count > 0; ) {
      count = readSync(descriptor, piece, 0, piece.length, null);
      hash.update(piece.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
}

/** Writes pieces to a new file. It is not synced: who takes it over does that. */
export function writeFileFully(file: string, pieces: Iterable<Uint8Array>): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    for (const piece of pieces) {
      for (let offset = 0; offset < piece.length; ) {
        offset += writeSync(descriptor, piece, offset, Math.min(CHUNK_BYTES, piece.length - offset));
      }
    }
  } finally {
    closeSync(descriptor);
  }
}
