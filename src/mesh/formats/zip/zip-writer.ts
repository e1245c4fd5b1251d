import { constants, crc32, deflateRawSync } from 'node:zlib';
import { MeshError } from '../../core/mesh-error.js';

/** A file to be: its name, and its content a chunk after the other. */
export interface ZipPart {
  name: string;
  chunks: Iterable<Uint8Array>;
}

interface Packed {
  name: Uint8Array;
  chunks: Uint8Array[];
  checksum: number;
  packedBytes: number;
  bytes: number;
  /** Where its local header is. */
  at: number;
}

const MAX_UINT32 = 0xffffffff;
/** 1980-01-01 00:00, the first day that a ZIP can name: the same content, the same bytes. */
const DATE = 0x0021;
const MIN_CHUNK_BYTES = 1 << 20;

/**
 * Writes a ZIP archive. Each part is packed as it comes, so only its packed form is held. Its chunks are joined to pieces of a mebibyte that are
 * packed one by one: that costs a thousandth in size. Throws `TOO_LARGE` where a part or the archive passes 4 GiB.
 */
export function* serializeZip(parts: Iterable<ZipPart>): Iterable<Uint8Array> {
  const written: Packed[] = [];
  let offset = 0;
  for (const part of parts) {
    const packed = pack(part, offset);
    written.push(packed);
    yield header(packed, false);
    yield packed.name;
    yield* packed.chunks;
    packed.chunks = [];
    offset += 30 + packed.name.length + packed.packedBytes;
  }
  let directoryBytes = 0;
  for (const packed of written) {
    if (packed.at > MAX_UINT32) throw tooLarge();
    yield header(packed, true);
    yield packed.name;
    directoryBytes += 46 + packed.name.length;
  }
  if (offset + directoryBytes > MAX_UINT32) throw tooLarge();
  yield end(written.length, directoryBytes, offset);
}

function pack({ name, chunks }: ZipPart, at: number): Packed {
  const packed: Packed = {
    name: new TextEncoder().encode(name),
    chunks: [],
    checksum: 0,
    packedBytes: 0,
    bytes: 0,
    at,
  };
  const add = (piece: Uint8Array, isLast: boolean): void => {
    // A flush ends a piece at a whole byte, without ending the stream: pieces can be put one behind the other.
    const deflated = deflateRawSync(piece, { finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH });
    packed.chunks.push(deflated);
    packed.packedBytes += deflated.length;
    packed.bytes += piece.length;
    packed.checksum = crc32(piece, packed.checksum);
  };
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  for (const chunk of chunks) {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < MIN_CHUNK_BYTES) continue;
    add(Buffer.concat(waiting), false);
    waiting = [];
    waitingBytes = 0;
  }
  add(Buffer.concat(waiting), true);
  if (packed.bytes > MAX_UINT32 || packed.packedBytes > MAX_UINT32) throw tooLarge();
  return packed;
}

/** The local header of a part, or its entry in the directory, without the name. */
function header({ name, checksum, packedBytes, bytes, at: offset }: Packed, isCentral: boolean): Uint8Array {
  const head = new DataView(new ArrayBuffer(isCentral ? 46 : 30));
  head.setUint32(0, isCentral ? 0x02014b50 : 0x04034b50, true);
  const first = isCentral ? 6 : 4;
  if (isCentral) head.setUint16(4, 20, true);
  head.setUint16(first, 20, true);
  head.setUint16(first + 2, 0x0800, true); // names are UTF-8
  head.setUint16(first + 4, 8, true);
  head.setUint16(first + 8, DATE, true);
  head.setUint32(first + 10, checksum, true);
  head.setUint32(first + 14, packedBytes, true);
  head.setUint32(first + 18, bytes, true);
  head.setUint16(first + 22, name.length, true);
  if (isCentral) head.setUint32(42, offset, true);
  return new Uint8Array(head.buffer);
}

function end(count: number, directoryBytes: number, offset: number): Uint8Array {
  const tail = new DataView(new ArrayBuffer(22));
  tail.setUint32(0, 0x06054b50, true);
  tail.setUint16(8, count, true);
  tail.setUint16(10, count, true);
  tail.setUint32(12, directoryBytes, true);
  tail.setUint32(16, offset, true);
  return new Uint8Array(tail.buffer);
}

const tooLarge = (): MeshError =>
  new MeshError('TOO_LARGE', 'The model does not fit into a ZIP of 4 GiB: reduce it first');
