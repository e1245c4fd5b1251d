import { BlockBuffers } from '../../blobs/block-buffers.js';
import type { BorrowedChunks } from '../../blobs/read-double-buffered.js';

/** A file that is read while a body is sent. */
export interface EmbeddedFile {
  size: number;
  /** Reads from an offset to the end. */
  readFrom: (offset: number) => BorrowedChunks;
}

/** A part of a body: bytes, or a file that is inserted as base64. */
export type BodyPart = Buffer | EmbeddedFile;

/** A body that can be read from any offset, so that a client which does not read holds no buffers meanwhile. */
export interface ReportBody {
  size: number;
  readFrom: (offset: number) => BorrowedChunks;
}

/** Each takes 2 MiB while it makes progress. */
const MAX_READING_REPORTS = 4;

/** A multiple of 3, so that the base64 of the chunks of a file is that of the file. */
const CHUNK_BYTES = 384 * 1024;

/** Creates the buffers from which all reports are read. Further readers wait for their turn. */
export function createReportBuffers(): BlockBuffers {
  return new BlockBuffers(MAX_READING_REPORTS);
}

/** Creates a body from parts. It holds only the parts that are bytes, and one chunk of a file while it is read. */
export function createReportBody(parts: readonly BodyPart[]): ReportBody {
  const lengths = parts.map((part) => (Buffer.isBuffer(part) ? part.length : Math.ceil(part.size / 3) * 4));
  async function* readFrom(offset: number): BorrowedChunks {
    let start = 0;
    for (const [index, part] of parts.entries()) {
      const length = lengths[index] ?? 0;
      const skipped = Math.max(0, offset - start);
      start += length;
      if (skipped >= length) continue;
      if (Buffer.isBuffer(part)) yield part.subarray(skipped);
      else yield* encodeFrom(part, skipped);
    }
  }
  return { size: lengths.reduce((sum, length) => sum + length, 0), readFrom };
}

/** Encodes a file as base64, from an offset in the base64. */
async function* encodeFrom({ readFrom }: EmbeddedFile, offset: number): BorrowedChunks {
  let skipped = offset % 4;
  let rest = Buffer.alloc(0);
  for await (const chunk of readFrom((offset - skipped) * 0.75)) {
    let position = 0;
    while (rest.length + chunk.length - position >= 3) {
      const count = Math.min(CHUNK_BYTES, rest.length + chunk.length - position);
      const end = position + count - (count % 3) - rest.length;
      yield encode(rest, chunk.subarray(position, end)).subarray(skipped);
      [rest, position, skipped] = [Buffer.alloc(0), end, 0];
    }
    rest = Buffer.concat([rest, chunk.subarray(position)]);
  }
  if (rest.length > 0) yield encode(rest).subarray(skipped);
}

function encode(...chunks: readonly Uint8Array[]): Buffer {
  const bytes =
    chunks.length === 1 || chunks[0]?.length === 0 ? (chunks.at(-1) ?? Buffer.alloc(0)) : Buffer.concat(chunks);
  return Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'), 'latin1');
}
