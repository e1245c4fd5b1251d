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
/** An entry larger than this is refused: a Buffer or a text of it could not be worked on. */
const MAX_ENTRY_BYTES = 2 ** 31 - 1;
/** How much zlib unpacks at a time. */
const MIN_CHUNK_BYTES = 64;
const MAX_CHUNK_BYTES = 256 * 1024 * 1024;
/** Deflate cannot make more of a byte (zlib's technical details: 1032:1). */
const MAX_DEFLATE_RATIO = 1032;

interface ZipEntry {
  name: string;
  flags: number;
  method: number;
  checksum: number;
  packedBytes: number;
  bytes: number;
  /** Where its local header is. */
  at: number;
}

/**
 * A ZIP archive in memory. The central directory is believed, and nothing but it: sizes and checksums are those that it names, and what
 * unpacks to anything else is refused. Names are only compared, never used as paths of a disk.
 */
export class ZipArchive {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** lower-case name without a leading slash → entry; the first of a name counts */
  readonly #entries = new Map<string, ZipEntry>();

  /** Reads the directory. Throws `FILE_MALFORMED` where there is none, or it does not fit the file. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      this.#readDirectory();
    } catch (error) {
      if (error instanceof RangeError) throw malformed('its directory points behind its end');
      throw error;
    }
  }

  /** The names of all entries, in the directory's order. */
  get names(): string[] {
    return Array.from(this.#entries.values(), ({ name }) => name);
  }

  /**
   * The unpacked bytes of an entry, without regard to case and a leading slash; `undefined` where there is none of this name.
   * Throws `FILE_MALFORMED` for a damaged or encrypted one, `TOO_LARGE` for one of 2 GiB or more.
   */
  read(name: string): Uint8Array | undefined {
    const entry = this.#entries.get(keyOf(name));
    if (!entry) return undefined;
    const { flags, method, packedBytes, bytes } = entry;
    const what = `“${entry.name.slice(0, 80)}”`;
    if (flags & 1) throw malformed(`its part ${what} is encrypted`);
    if (method !== 0 && method !== 8) throw malformed(`its part ${what} is packed by method ${method}`);
    if (bytes > MAX_ENTRY_BYTES)
      throw new MeshError('TOO_LARGE', `The part ${what} of this ZIP has ${bytes} bytes: too many`);
    if (bytes > packedBytes * MAX_DEFLATE_RATIO)
      throw malformed(`its part ${what} cannot have as many bytes as it says`);
    const packed = this.#packed(entry);
    if (!packed) throw malformed(`its part ${what} lies behind its end`);
    const content = method === 0 ? packed : inflate(packed, bytes, what);
    if (content.length !== bytes) throw malformed(`its part ${what} has not the length that the directory says`);
    if (crc32(content) !== entry.checksum) throw malformed(`its part ${what} is damaged: its checksum does not fit`);
    return content;
  }

  #packed({ at: offset, packedBytes }: ZipEntry): Uint8Array | undefined {
    if (offset + 30 > this.#bytes.length || this.#view.getUint32(offset, true) !== LOCAL) return undefined;
    const start = offset + 30 + this.#view.getUint16(offset + 26, true) + this.#view.getUint16(offset + 28, true);
    return start + packedBytes <= this.#bytes.length ? this.#bytes.subarray(start, start + packedBytes) : undefined;
  }

  #readDirectory(): void {
    const end = this.#findEnd();
    let count = this.#view.getUint16(end + 10, true);
    let offset = this.#view.getUint32(end + 16, true);
    if (end >= 20 && this.#view.getUint32(end - 20, true) === LOCATOR64) {
      const wide = this.#readUint64(end - 12);
      if (this.#view.getUint32(wide, true) !== END64) throw malformed('its 64-bit directory is not where it should be');
      count = this.#readUint64(wide + 32);
      offset = this.#readUint64(wide + 48);
    }
    for (let i = 0; i < count; i++) offset = this.#readEntry(offset);
  }

  /** Reads one entry of the directory, and answers where the next begins. */
  #readEntry(offset: number): number {
    const view = this.#view;
    if (view.getUint32(offset, true) !== CENTRAL) throw malformed('its directory is damaged');
    const nameEnd = offset + 46 + view.getUint16(offset + 28, true);
    const extraEnd = nameEnd + view.getUint16(offset + 30, true);
    if (extraEnd > this.#bytes.length) throw malformed('its directory is cut');
    const entry: ZipEntry = {
      name: new TextDecoder().decode(this.#bytes.subarray(offset + 46, nameEnd)).replaceAll('\\', '/'),
      flags: view.getUint16(offset + 8, true),
      method: view.getUint16(offset + 10, true),
      checksum: view.getUint32(offset + 16, true),
      packedBytes: view.getUint32(offset + 20, true),
      bytes: view.getUint32(offset + 24, true),
      at: view.getUint32(offset + 42, true),
    };
    this.#applyZip64(entry, nameEnd, extraEnd);
    const key = keyOf(entry.name);
    if (!this.#entries.has(key)) this.#entries.set(key, entry);
    return extraEnd + view.getUint16(offset + 32, true);
  }

  /** Takes from the extra field 1 what did not fit into 32 bits: only those, in this order. */
  #applyZip64(entry: ZipEntry, start: number, end: number): void {
    for (let offset = start; offset + 4 <= end; ) {
      const next = offset + 4 + this.#view.getUint16(offset + 2, true);
      if (this.#view.getUint16(offset, true) === 1) {
        let field = offset + 4;
        for (const key of ['bytes', 'packedBytes', 'at'] as const) {
          if (entry[key] !== ZIP64_MARKER || field + 8 > Math.min(next, end)) continue;
          entry[key] = this.#readUint64(field);
          field += 8;
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
    throw malformed('it has no directory; perhaps it was cut');
  }

  #readUint64(offset: number): number {
    return Number(this.#view.getBigUint64(offset, true));
  }
}

function inflate(packed: Uint8Array, bytes: number, what: string): Uint8Array {
  try {
    // zlib takes no limit of 0; in a single piece where it is not too large, so that no pieces need joining
    const chunkSize = Math.max(MIN_CHUNK_BYTES, Math.min(bytes, MAX_CHUNK_BYTES));
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes), chunkSize });
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown';
    throw new MeshError('FILE_MALFORMED', `This ZIP is damaged: its part ${what} cannot be unpacked (${why})`, {
      cause: error,
    });
  }
}

const keyOf = (name: string): string => name.replace(/^\/+/, '').toLowerCase();

const malformed = (why: string): MeshError => new MeshError('FILE_MALFORMED', `This is no sound ZIP: ${why}`);
