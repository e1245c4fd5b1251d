import { constants, crc32, deflateRawSync } from 'node:zlib';
import { MeshError } from '../../core/mesh-error.js';

/** An entry to write: its name and its content in chunks. */
export interface ZipPart {
  name: string;
  chunks: Iterable<Uint8Array>;
}

interface CompressedPart {
  name: Uint8Array;
  chunks: Uint8Array[];
  checksum: number;
  compressedBytes: number;
  bytes: number;
  /** The offset of its local header. */
  headerOffset: number;
}

const MAX_UINT32 = 0xffffffff;
/** 1980-01-01, the earliest date of a ZIP. A constant, so that equal content produces equal bytes. */
const DATE = 0x0021;
const MIN_BLOCK_BYTES = 1 << 20;

/**
 * Serializes a ZIP archive (PKWARE APPNOTE). Entries are compressed while their chunks arrive, so only the compressed
 * form is held in memory. Input is compressed in blocks of at least 1 MiB, which costs about 0.1 % in size. Throws
 * `TOO_LARGE` if an entry or the archive exceeds 4 GiB.
 */
export function* serializeZip(parts: Iterable<ZipPart>): Iterable<Uint8Array> {
  const written: CompressedPart[] = [];
  let offset = 0;
  for (const part of parts) {
    const compressed = compress(part, offset);
    written.push(compressed);
    yield createEntryHeader(compressed, false);
    yield compressed.name;
    yield* compressed.chunks;
    compressed.chunks = [];
    offset += 30 + compressed.name.length + compressed.compressedBytes;
  }
  let directoryBytes = 0;
  for (const compressed of written) {
    if (compressed.headerOffset > MAX_UINT32) throw tooLargeError();
    yield createEntryHeader(compressed, true);
    yield compressed.name;
    directoryBytes += 46 + compressed.name.length;
  }
  if (offset + directoryBytes > MAX_UINT32) throw tooLargeError();
  yield createEndRecord(written.length, directoryBytes, offset);
}

function compress({ name, chunks }: ZipPart, headerOffset: number): CompressedPart {
  const compressed: CompressedPart = {
    name: new TextEncoder().encode(name),
    chunks: [],
    checksum: 0,
    compressedBytes: 0,
    bytes: 0,
    headerOffset,
  };
  const add = (block: Uint8Array, isLast: boolean): void => {
    // A sync flush ends a block at a byte boundary without ending the stream, so that blocks can be concatenated.
    const deflated = deflateRawSync(block, { finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH });
    compressed.chunks.push(deflated);
    compressed.compressedBytes += deflated.length;
    compressed.bytes += block.length;
    // Node.js returns 0 for an empty buffer that was deflated.
    if (block.length > 0) compressed.checksum = crc32(block, compressed.checksum);
  };
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for (const chunk of chunks) {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < MIN_BLOCK_BYTES) continue;
    add(Buffer.concat(pending), false);
    pending = [];
    pendingBytes = 0;
  }
  add(Buffer.concat(pending), true);
  if (compressed.bytes > MAX_UINT32 || compressed.compressedBytes > MAX_UINT32) throw tooLargeError();
  return compressed;
}

/** Returns the local header of an entry, or its header in the central directory, without the name. */
function createEntryHeader(
  { name, checksum, compressedBytes, bytes, headerOffset }: CompressedPart,
  isCentral: boolean,
): Uint8Array {
  const view = new DataView(new ArrayBuffer(isCentral ? 46 : 30));
  view.setUint32(0, isCentral ? 0x02014b50 : 0x04034b50, true);
  const first = isCentral ? 6 : 4;
  if (isCentral) view.setUint16(4, 20, true);
  view.setUint16(first, 20, true);
  view.setUint16(first + 2, 0x0800, true); // names are UTF-8
  view.setUint16(first + 4, 8, true);
  view.setUint16(first + 8, DATE, true);
  view.setUint32(first + 10, checksum, true);
  view.setUint32(first + 14, compressedBytes, true);
  view.setUint32(first + 18, bytes, true);
  view.setUint16(first + 22, name.length, true);
  if (isCentral) view.setUint32(42, headerOffset, true);
  return new Uint8Array(view.buffer);
}

function createEndRecord(count: number, directoryBytes: number, offset: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(22));
  view.setUint32(0, 0x06054b50, true);
  view.setUint16(8, count, true);
  view.setUint16(10, count, true);
  view.setUint32(12, directoryBytes, true);
  view.setUint32(16, offset, true);
  return new Uint8Array(view.buffer);
}

function tooLargeError(): MeshError {
  return new MeshError('TOO_LARGE', 'Could not write the ZIP: it would exceed 4 GiB. Reduce the model first.');
}
