import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** The size of the blocks of a blob that have checksums of their own. */
export const BLOCK_BYTES = 1024 * 1024;

// Fits into the CPU caches, and divides a block.
const READ_BYTES = 256 * 1024;

/** The size and the checksums of a blob. */
export interface BlobDigest {
  size: number;
  /** SHA-256 as hexadecimal text. */
  sha256: string;
  /** The CRC-32 of each block of `BLOCK_BYTES`; the last one may be shorter. Eight hexadecimal digits each. */
  blockCrcs: string;
}

/** Formats a CRC-32 as eight hexadecimal digits. */
export function formatCrc(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** Computes a `BlobDigest` in one pass over the bytes. */
export class Digester {
  readonly #sha256 = createHash('sha256');
  readonly #crcs: string[] = [];
  #size = 0;
  #crc = 0;

  /** Adds bytes, which may have any length. */
  update(bytes: Uint8Array): void {
    this.#sha256.update(bytes);
    for (let offset = 0; offset < bytes.length; ) {
      const remainingBytes = BLOCK_BYTES - (this.#size % BLOCK_BYTES);
      const part = bytes.subarray(offset, offset + remainingBytes);
      this.#crc = crc32(part, this.#crc);
      this.#size += part.length;
      offset += part.length;
      if (part.length === remainingBytes) this.#endBlock();
    }
  }

  /** Returns the digest of all bytes. Nothing can be added afterwards. */
  finish(): BlobDigest {
    if (this.#size % BLOCK_BYTES > 0) this.#endBlock();
    return { size: this.#size, sha256: this.#sha256.digest('hex'), blockCrcs: this.#crcs.join('') };
  }

  #endBlock(): void {
    this.#crcs.push(formatCrc(this.#crc));
    this.#crc = 0;
  }
}

/** Computes the digest of a file. Blocks its thread. Throws the system's error. */
export function digestFile(file: string): BlobDigest {
  const digester = new Digester();
  const buffer = new Uint8Array(READ_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    for (let count = 1; count > 0; ) {
      count = readSync(descriptor, buffer, 0, buffer.length, null);
      digester.update(buffer.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
  return digester.finish();
}
