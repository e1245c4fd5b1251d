import { crc32, deflateRawSync } from 'node:zlib';
import { serializeZip } from '../../../../src/mesh/formats/zip/zip-writer.js';

/** A ZIP archive of these parts. */
export function zipOf(parts: Record<string, string | Uint8Array>): Buffer {
  const entries = Object.entries(parts).map(([name, content]) => ({ name, chunks: [Buffer.from(content)] }));
  return Buffer.concat([...serializeZip(entries)]);
}

/** A ZIP64 archive of one part: all that can be 64 bits wide is. Method 8 deflates, 0 stores. */
export function wideZip(name: string, content: Uint8Array, method: 0 | 8 = 8): Buffer {
  const packed = method === 8 ? deflateRawSync(content) : content;
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(name.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(method, 10);
  central.writeUInt32LE(crc32(content), 16);
  for (const offset of [20, 24, 42]) central.writeUInt32LE(0xffffffff, offset);
  central.writeUInt16LE(name.length, 28);
  const extra = Buffer.alloc(4 + 4 + 28);
  extra.writeUInt16LE(0x7777, 0); // an extra field of another kind before it, empty
  extra.writeUInt16LE(1, 4);
  extra.writeUInt16LE(28, 6);
  extra.writeBigUInt64LE(BigInt(content.length), 8);
  extra.writeBigUInt64LE(BigInt(packed.length), 16);
  central.writeUInt16LE(extra.length, 30);
  const before = Buffer.concat([local, Buffer.from(name), packed]);
  const directory = Buffer.concat([central, Buffer.from(name), extra]);
  const wideEnd = Buffer.alloc(56);
  wideEnd.writeUInt32LE(0x06064b50, 0);
  wideEnd.writeBigUInt64LE(1n, 32);
  wideEnd.writeBigUInt64LE(BigInt(before.length), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(before.length + directory.length), 8);
  const end = Buffer.alloc(22, 0xff);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(0, 20);
  return Buffer.concat([before, directory, wideEnd, locator, end]);
}
