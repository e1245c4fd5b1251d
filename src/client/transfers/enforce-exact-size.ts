import { types } from 'node:util';
import { ClientError } from '../client-error.js';

/** The size of reads and writes. Chunks of 64 KiB reduce the speed of transfers by a third. */
export const CHUNK_BYTES = 1 << 20;

/** Receives the number of bytes that were transferred so far, after each chunk. */
export type OnSize = (byteCount: number) => void;

/**
 * Yields the chunks of `source` unchanged if they have exactly `size` bytes in total, which is the Content-Length of
 * the request. Throws `FILE_UNREADABLE` with the name of the source if it is shorter or longer, or does not yield
 * bytes.
 */
export async function* enforceExactSize(
  source: AsyncIterable<unknown> | Iterable<unknown>,
  size: number,
  name: string,
  onSize: OnSize,
): AsyncGenerator<Uint8Array> {
  let byteCount = 0;
  for await (const chunk of source) {
    const bytes = toBytes(chunk, name);
    byteCount += bytes.length;
    if (byteCount > size) throw unreadableError(name, `it is longer than the announced ${size} bytes`);
    yield bytes;
    onSize(byteCount);
  }
  if (byteCount < size) throw unreadableError(name, `it ended after ${byteCount} of ${size} bytes`);
}

/**
 * Returns the bytes of one chunk of a stream, a string as UTF-8. Throws `FILE_UNREADABLE` with `name` for other types.
 * The classes of a typed array need not be those of this module: another realm, such as a function node of Node-RED,
 * has its own.
 */
export function toBytes(chunk: unknown, name: string): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (types.isAnyArrayBuffer(chunk)) return new Uint8Array(chunk);
  if (typeof chunk === 'string') return Buffer.from(chunk);
  throw unreadableError(name, 'the stream yields objects instead of bytes');
}

function unreadableError(name: string, reason: string): ClientError {
  return new ClientError('FILE_UNREADABLE', `Could not read ${name}: ${reason}.`);
}
