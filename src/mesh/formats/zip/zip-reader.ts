import { crc32, inflateRawSync } from 'node:zlib';
import { MeshError } from '../../core/mesh-error.js';

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
  name: string;
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
 * disk.
 */
export class ZipArchive {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** key of its name (`toEntryKey`) → entry; the first of a name wins */
  readonly #entries = new Map<string, ZipEntry>();

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
    return Array.from(this.#entries.values(), ({ name }) => name);
  }

  /**
   * Returns the decompressed bytes of an entry, ignoring case, leading slashes and `./`, or `undefined` if there is none.
   * Throws `FILE_MALFORMED` for a damaged entry, `FILE_ENCRYPTED` for an encrypted one, and `TOO_LARGE` for one of 2 GiB
   * or more.
   */
  read(name: string): Uint8Array | undefined {
    const entry = this.#entries.get(toEntryKey(name));
    if (!entry) return undefined;
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
    const entry: ZipEntry = {
      name: new TextDecoder().decode(this.#bytes.subarray(offset + 46, nameEnd)).replaceAll('\\', '/'),
      flags: view.getUint16(offset + 8, true),
      method: view.getUint16(offset + 10, true),
      checksum: view.getUint32(offset + 16, true),
      compressedBytes: view.getUint32(offset + 20, true),
      bytes: view.getUint32(offset + 24, true),
      headerOffset: view.getUint32(offset + 42, true),
    };
    this.#applyZip64(entry, nameEnd, extraEnd);
    const key = toEntryKey(entry.name);
    if (!this.#entries.has(key)) this.#entries.set(key, entry);
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

/** Returns an entry name in the form in which names are compared: without leading slashes and `./`, in lower case. */
export function toEntryKey(name: string): string {
  return name.replace(/^(\.?\/)+/, '').toLowerCase();
}

function malformedZip(reason: string): MeshError {
  return new MeshError('FILE_MALFORMED', `Invalid ZIP: ${reason}.`);
}
