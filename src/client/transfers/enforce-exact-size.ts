import { ClientError } from '../client-error.js';

/** What is read or written at once. Larger pieces make transfers faster: 64 KiB cost a third of the speed. */
export const CHUNK_BYTES = 1 << 20;

/** Told how many bytes there are, or have gone, after each piece. */
export type OnSize = (byteCount: number) => void;

/**
 * Exactly `size` bytes, since that is what the service was told. A source that turns out shorter or longer ends in an error:
 * `FILE_UNREADABLE`, naming the source.
 */
export async function* enforceExactSize(
  source: AsyncIterable<unknown> | Iterable<unknown>,
  size: number,
  name: string,
  onSize: OnSize,
): AsyncGenerator<Uint8Array> {
  let byteCount = 0;
  for await (const piece of source) {
    const bytes = toBytes(piece, name);
    byteCount += bytes.length;
    if (byteCount > size) throw sizeMismatch(name, `it has more than the ${size} bytes that were announced`);
    yield bytes;
    onSize(byteCount);
  }
  if (byteCount < size) throw sizeMismatch(name, `it ended after ${byteCount} of ${size} bytes`);
}

/** The bytes of one piece of a stream; a text as UTF-8. `FILE_UNREADABLE` for objects, naming the stream. */
export function toBytes(piece: unknown, name: string): Uint8Array {
  if (piece instanceof Uint8Array) return piece;
  if (typeof piece === 'string') return Buffer.from(piece);
  throw sizeMismatch(name, 'it gives objects, not bytes');
}

function sizeMismatch(name: string, detail: string): ClientError {
  return new ClientError('FILE_UNREADABLE', `Could not read ${name}: ${detail}.`);
}
