import { crc32, deflateRawSync } from 'node:zlib';
import { serializeZip } from '../../../../src/mesh/formats/zip/zip-writer.js';

/** Creates a ZIP archive of these entries. */
export function createZip(parts: Record<string, string | Uint8Array>): Buffer {
  const entries = Object.entries(parts).map(([name, content]) => ({ name, chunks: [Buffer.from(content)] }));
  return Buffer.concat([...serializeZip(entries)]);
}

/** Creates a ZIP64 archive of one entry with every size and offset 64 bits wide. Method 8 is Deflate, 0 is stored. */
export function createZip64(name: string, content: Uint8Array, method: 0 | 8 = 8): Buffer {
  const compressed = method === 8 ? deflateRawSync(content) : content;
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
  extra.writeUInt16LE(0x7777, 0); // an empty extra field of another kind before it
  extra.writeUInt16LE(1, 4);
  extra.writeUInt16LE(28, 6);
  extra.writeBigUInt64LE(BigInt(content.length), 8);
  extra.writeBigUInt64LE(BigInt(compressed.length), 16);
  central.writeUInt16LE(extra.length, 30);
  const before = Buffer.concat([local, Buffer.from(name), compressed]);
  const directory = Buffer.concat([central, Buffer.from(name), extra]);
  const zip64End = Buffer.alloc(56);
  zip64End.writeUInt32LE(0x06064b50, 0);
  zip64End.writeBigUInt64LE(1n, 32);
  zip64End.writeBigUInt64LE(BigInt(before.length), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(before.length + directory.length), 8);
  const end = Buffer.alloc(22, 0xff);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(0, 20);
  return Buffer.concat([before, directory, zip64End, locator, end]);
}

/** An entry as a program writes it that does not use UTF-8. */
export interface RawEntry {
  name: Uint8Array;
  content: string | Uint8Array;
  /** The extra fields in the directory. */
  extra?: Uint8Array;
}

/** Creates a ZIP archive of stored entries whose names are not marked as UTF-8. */
export function createRawZip(entries: readonly RawEntry[]): Buffer {
  const chunks: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, extra = Buffer.alloc(0) } of entries) {
    const bytes = Buffer.from(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt32LE(crc32(bytes), 16);
    central.writeUInt32LE(bytes.length, 20);
    central.writeUInt32LE(bytes.length, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt16LE(extra.length, 30);
    central.writeUInt32LE(offset, 42);
    chunks.push(local, Buffer.from(name), bytes);
    directory.push(central, Buffer.from(name), Buffer.from(extra));
    offset += local.length + name.length + bytes.length;
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...chunks, directoryBytes, end]);
}

/** Returns the extra field with a name in UTF-8, for an entry whose name is `name`. */
export function createUnicodePath(unicodeName: string, name: Uint8Array): Buffer {
  const text = Buffer.from(unicodeName);
  const field = Buffer.alloc(9 + text.length);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + text.length, 2);
  field.writeUInt8(1, 4);
  field.writeUInt32LE(crc32(name), 5);
  text.copy(field, 9);
  return field;
}
