import { crc32, inflateRawSync } from 'node:zlib';
import { MeshError } from '../../core/mesh-error.js';
import { resolveCompanionPaths } from '../reading/companion-path.js';
import { NameIndex } from '../reading/name-index.js';
import { decodeCp437, decodeName, NAME_ENCODINGS, type NameEncoding, readUnicodeName } from './entry-name.js';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const ZIP64_MARKER = 0xffffffff;
/** Larger entries are rejected: they fit neither into a Buffer nor into a string. */
const MAX_ENTRY_BYTES = 2 ** 31 - 1;
/** Bounds of the output chunk size of zlib. */
const MIN_CHUNK_BYTES = 64;
const MAX_CHUNK_BYTES = 256 * 1024 * 1024;
/** The largest ratio of Deflate (zlib technical details: 1032:1). */
const MAX_DEFLATE_RATIO = 1032;

interface ZipEntry {
  /** With slashes; in code page 437 if it is not UTF-8. */
  name: string;
  /** The bytes of a name that is not UTF-8. */
  nameBytes: Uint8Array | undefined;
  flags: number;
  method: number;
  checksum: number;
  compressedBytes: number;
  bytes: number;
  /** The offset of its local header. */
  headerOffset: number;
}

/**
 * A ZIP archive in memory (PKWARE APPNOTE), including ZIP64. Only the central directory is trusted: an entry whose
 * decompressed size or checksum differs from it is rejected. Entry names are only compared, never used as paths on
 * disk. A name that is not UTF-8 is found in each encoding in which it may be meant.
 */
export class ZipArchive {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** name → entry; the first of a name wins */
  readonly #entries = new Map<string, ZipEntry>();
  /** encoding → the entries by their names in it, once requested */
  readonly #indexes = new Map<NameEncoding, NameIndex<ZipEntry>>();
  /** The encodings in which names differ. */
  #encodings: readonly NameEncoding[] = ['cp437'];

  /** Parses the directory. Throws `FILE_MALFORMED` if it is missing or points outside of the file. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      this.#readDirectory();
    } catch (error) {
      if (error instanceof RangeError) throw malformedZip('the directory points outside of the file');
      throw error;
    }
  }

  /** The names of all entries, in directory order. */
  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** Returns the name of an entry in all encodings in which it may be meant. */
  namesOf(name: string): string[] {
    const entry = this.#entries.get(name);
    if (!entry) return [];
    return this.#encodings.map((encoding) => nameIn(entry, encoding)).filter((spelling) => spelling !== undefined);
  }

  /** Returns the name of an entry in the spelling of the archive, or `undefined` if there is none. See `NameIndex`. */
  findName(name: string): string | undefined {
    return this.#find(name)?.name;
  }

  /**
   * Returns the decompressed bytes of an entry, which is found as by `findName`, or `undefined` if there is none. Throws
   * `FILE_MALFORMED` for a damaged entry, `FILE_ENCRYPTED` for an encrypted one, and `TOO_LARGE` for one of 2 GiB or more.
   */
  read(name: string): Uint8Array | undefined {
    const entry = this.#find(name);
    return entry && this.#readContent(entry);
  }

  /** Reads the file that an entry references by a path relative to its own folder. Returns and throws as `read`. */
  readCompanion(name: string, reference: string): Uint8Array | undefined {
    const scene = this.#entries.get(name);
    if (!scene) return undefined;
    for (const encoding of this.#encodings) {
      const folder = nameIn(scene, encoding)?.split('/').slice(0, -1).join('/');
      if (folder === undefined) continue;
      for (const path of resolveCompanionPaths(folder, reference)) {
        const entry = this.#indexIn(encoding).find(path);
        if (entry) return this.#readContent(entry);
      }
    }
    return undefined;
  }

  #find(name: string): ZipEntry | undefined {
    const entry = this.#entries.get(name);
    if (entry) return entry;
    for (const encoding of this.#encodings) {
      const match = this.#indexIn(encoding).find(name);
      if (match) return match;
    }
    return undefined;
  }

  /** Returns the entries by their names in an encoding, those in UTF-8 included. */
  #indexIn(encoding: NameEncoding): NameIndex<ZipEntry> {
    const existing = this.#indexes.get(encoding);
    if (existing) return existing;
    const entries = [...this.#entries.values()].flatMap((entry) => {
      const name = nameIn(entry, encoding);
      return name === undefined ? [] : [[name, entry] as const];
    });
    const index = new NameIndex(encoding === 'utf-8' ? removeAmbiguous(entries) : entries);
    this.#indexes.set(encoding, index);
    return index;
  }

  #readContent(entry: ZipEntry): Uint8Array {
    const { flags, method, compressedBytes, bytes } = entry;
    const label = `“${entry.name.slice(0, 80)}”`;
    if (flags & 1) {
      const message = `Could not read the ZIP: the entry ${label} is encrypted. Save it without a password.`;
      throw new MeshError('FILE_ENCRYPTED', message);
    }
    if (method !== 0 && method !== 8)
      throw malformedZip(`the entry ${label} uses the unsupported compression method ${method}`);
    if (bytes > MAX_ENTRY_BYTES)
      throw new MeshError(
        'TOO_LARGE',
        `Could not read the ZIP: the entry ${label} has ${bytes} bytes, the limit is ${MAX_ENTRY_BYTES}.`,
      );
    if (bytes > compressedBytes * MAX_DEFLATE_RATIO)
      throw malformedZip(`the declared size of the entry ${label} is impossible`);
    const compressed = this.#findCompressedBytes(entry);
    if (!compressed) throw malformedZip(`the entry ${label} is outside of the file`);
    const content = method === 0 ? compressed : inflate(compressed, bytes, label);
    if (content.length !== bytes) throw malformedZip(`the size of the entry ${label} does not match the directory`);
    if (crc32(content) !== entry.checksum) throw malformedZip(`the checksum of the entry ${label} does not match`);
    return content;
  }

  #findCompressedBytes({ headerOffset: offset, compressedBytes }: ZipEntry): Uint8Array | undefined {
    if (offset + 30 > this.#bytes.length || this.#view.getUint32(offset, true) !== LOCAL) return undefined;
    const start = offset + 30 + this.#view.getUint16(offset + 26, true) + this.#view.getUint16(offset + 28, true);
    return start + compressedBytes <= this.#bytes.length
      ? this.#bytes.subarray(start, start + compressedBytes)
      : undefined;
  }

  #readDirectory(): void {
    const end = this.#findEnd();
    let count = this.#view.getUint16(end + 10, true);
    let offset = this.#view.getUint32(end + 16, true);
    if (end >= 20 && this.#view.getUint32(end - 20, true) === LOCATOR64) {
      const end64 = this.#readUint64(end - 12);
      if (this.#view.getUint32(end64, true) !== END64) throw malformedZip('the ZIP64 end record is missing');
      count = this.#readUint64(end64 + 32);
      offset = this.#readUint64(end64 + 48);
    }
    for (let i = 0; i < count; i++) offset = this.#readEntry(offset);
  }

  /** Reads one entry of the directory. Returns the offset of the next one. */
  #readEntry(offset: number): number {
    const view = this.#view;
    if (view.getUint32(offset, true) !== CENTRAL) throw malformedZip('the directory is damaged');
    const nameEnd = offset + 46 + view.getUint16(offset + 28, true);
    const extraEnd = nameEnd + view.getUint16(offset + 30, true);
    if (extraEnd > this.#bytes.length) throw malformedZip('the directory is truncated');
    const nameBytes = this.#bytes.subarray(offset + 46, nameEnd);
    const unicodeName = readUnicodeName(nameBytes, this.#bytes.subarray(nameEnd, extraEnd));
    const entry: ZipEntry = {
      name: unicodeName ?? decodeCp437(nameBytes),
      nameBytes: unicodeName === undefined ? nameBytes : undefined,
      flags: view.getUint16(offset + 8, true),
      method: view.getUint16(offset + 10, true),
      checksum: view.getUint32(offset + 16, true),
      compressedBytes: view.getUint32(offset + 20, true),
      bytes: view.getUint32(offset + 24, true),
      headerOffset: view.getUint32(offset + 42, true),
    };
    this.#applyZip64(entry, nameEnd, extraEnd);
    if (!this.#entries.has(entry.name)) this.#entries.set(entry.name, entry);
    if (entry.nameBytes) this.#encodings = NAME_ENCODINGS;
    return extraEnd + view.getUint16(offset + 32, true);
  }

  /**
   * Reads 64-bit values from the ZIP64 extra field. It contains only those that are marked in the entry, in this order.
   */
  #applyZip64(entry: ZipEntry, start: number, end: number): void {
    for (let offset = start; offset + 4 <= end; ) {
      const next = offset + 4 + this.#view.getUint16(offset + 2, true);
      if (this.#view.getUint16(offset, true) === 1) {
        let valueOffset = offset + 4;
        for (const key of ['bytes', 'compressedBytes', 'headerOffset'] as const) {
          if (entry[key] !== ZIP64_MARKER || valueOffset + 8 > Math.min(next, end)) continue;
          entry[key] = this.#readUint64(valueOffset);
          valueOffset += 8;
        }
      }
      offset = next;
    }
  }

  #findEnd(): number {
    const last = this.#bytes.length - END_BYTES;
    for (let index = last; index >= 0 && index >= last - MAX_COMMENT_BYTES; index--) {
      if (this.#view.getUint32(index, true) === END) return index;
    }
    throw malformedZip('it has no directory and may be truncated');
  }

  #readUint64(offset: number): number {
    return Number(this.#view.getBigUint64(offset, true));
  }
}

function inflate(compressed: Uint8Array, bytes: number, label: string): Uint8Array {
  try {
    // zlib rejects a limit of 0. A single output chunk avoids joining several.
    const chunkSize = Math.max(MIN_CHUNK_BYTES, Math.min(bytes, MAX_CHUNK_BYTES));
    return inflateRawSync(compressed, { maxOutputLength: Math.max(1, bytes), chunkSize });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    throw new MeshError('FILE_MALFORMED', `Invalid ZIP: could not decompress the entry ${label} (${reason}).`, {
      cause: error,
    });
  }
}

/** Removes the entries whose names are equal, as those of which invalid bytes were replaced may be. */
function removeAmbiguous<T>(entries: readonly (readonly [name: string, entry: T])[]): (readonly [string, T])[] {
  const counts = new Map<string, number>();
  for (const [name] of entries) counts.set(name, (counts.get(name) ?? 0) + 1);
  return entries.filter(([name]) => counts.get(name) === 1);
}

/** Returns the name of an entry in an encoding, which does not matter if it is UTF-8. */
function nameIn({ name, nameBytes }: ZipEntry, encoding: NameEncoding): string | undefined {
  return nameBytes === undefined ? name : decodeName(nameBytes, encoding);
}

function malformedZip(reason: string): MeshError {
  return new MeshError('FILE_MALFORMED', `Invalid ZIP: ${reason}.`);
}
