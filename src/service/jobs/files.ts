import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

const PIECE_BYTES = 64 * 1024 * 1024;

/** A whole file in memory, also one of more than 2 GiB, which Node does not read at once. */
export const readWhole = (file: string): Uint8Array => {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = new Uint8Array(fstatSync(descriptor).size);
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(descriptor, bytes, at, Math.min(PIECE_BYTES, bytes.length - at), null);
      if (count === 0) throw new Error(`${file} became shorter while it was read`);
      at += count;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
};

/** Writes pieces to a new file. It is not synced: who takes it over does that. */
export const writeWhole = (file: string, pieces: Iterable<Uint8Array>): void => {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) {
        at += writeSync(descriptor, piece, at, Math.min(PIECE_BYTES, piece.length - at));
      }
    }
  } finally {
    closeSync(descriptor);
  }
};
