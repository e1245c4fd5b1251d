import { BackgroundSync } from './background-sync.js';
import { FILE_FUNCTIONS, FILE_MODE, type FileFunctions, readUpTo, writeAll } from './file-functions.js';
import { OpenFile } from './open-file.js';

/** Where a line stands in a file, in bytes. */
export interface LineRange {
  offset: number;
  length: number;
}

/** Bytes of a line that are written in place once all of it is there. */
export interface LineHead {
  offset: number;
  bytes: Buffer;
}

const LINE_FEED = Buffer.from('\n');

/**
 * A file that grows by whole lines, whose bytes may be changed in place, which needs no room on the disk. It is opened for writing only when
 * something is written. What was written is with the operating system when the call returns, so that it survives the end of this process,
 * however it ends; it is synced to the disk behind that, as much at once as has gathered meanwhile, and `onSyncFailure` is told where that
 * cannot be done. All else throws what the system throws.
 */
export class AppendOnlyFile {
  readonly #path: string;
  readonly #files: FileFunctions;
  readonly #sync: BackgroundSync;
  readonly #open: OpenFile;
  #size = 0;
  /** Bytes of a line that could not be written may stand behind the last one. */
  #hasRest: boolean = false;
  #hasIdentity: boolean = true;
  /** What was loaded does not end with a line feed. */
  #isCut: boolean = false;

  constructor(path: string, onSyncFailure: (error: unknown) => void, files: FileFunctions = FILE_FUNCTIONS) {
    this.#path = path;
    this.#files = files;
    this.#sync = new BackgroundSync(files, onSyncFailure);
    this.#open = new OpenFile(path, { files, sync: this.#sync, onCloseFailure: onSyncFailure });
  }

  /** Bytes of all lines. */
  get size(): number {
    return this.#size;
  }

  /** Reads all that is in the file; `undefined` where there is none yet. Stays open, so that it can be read whatever comes. */
  load(): Buffer | undefined {
    try {
      const file = this.#open.toRead();
      const bytes = readUpTo(this.#files, file, 0, this.#files.fstatSync(file).size);
      this.#size = bytes.length;
      this.#isCut = bytes.length > 0 && bytes.at(-1) !== LINE_FEED[0];
      return bytes;
    } catch (error) {
      // Another file may stand there when it is tried again.
      this.#open.letGo();
      if (Object(error).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Adds a line, then writes its head. Answers where the line begins. */
  append(line: Buffer, head: LineHead): number {
    const file = this.#openToWrite();
    if (this.#hasRest) this.#files.ftruncateSync(file, this.#size);
    if (this.#isCut) this.#endLine(file);
    const offset = this.#size;
    this.#hasRest = true;
    try {
      writeAll(this.#files, file, line, offset);
      writeAll(this.#files, file, head.bytes, offset + head.offset);
    } catch (error) {
      // Half a line would take the next one along. Where it cannot be taken off now, that is done before the next one is written.
      this.#tryTruncate(file, offset);
      throw error;
    }
    this.#hasRest = false;
    this.#size += line.length;
    this.#requestSync();
    return offset;
  }

  /** Writes in place of what stands there. */
  overwrite(offset: number, bytes: Buffer): void {
    writeAll(this.#files, this.#openToWrite(), bytes, offset);
    this.#requestSync();
  }

  read({ offset, length }: LineRange): Buffer {
    const bytes = readUpTo(this.#files, this.#open.toRead(), offset, length);
    if (bytes.length < length) throw new Error(`${this.#path} is shorter than it was`);
    return bytes;
  }

  /** What another process did to the file, if anything: wrote behind the last line, or put another file in its place, or removed it. */
  findChange(): 'grown' | 'replaced' | undefined {
    if (this.#open.current === undefined) return undefined;
    const there = this.#files.statSync(this.#path, { throwIfNoEntry: false });
    if (!this.#open.hasInode(there?.ino) && this.#hasIdentity) return 'replaced';
    return !there || there.size === this.#size || this.#hasRest ? undefined : 'grown';
  }

  /** Goes over to the file that stands at the path now: adds lines behind all that is in it, and answers where they begin. */
  continue(lines: Buffer): number {
    let offset = 0;
    this.#open.reopen((file) => {
      const { size, ino } = this.#files.fstatSync(file);
      offset = size;
      try {
        writeAll(this.#files, file, lines, offset);
        // A file system that gives one file two numbers would have it followed for ever.
        this.#hasIdentity = this.#files.statSync(this.#path).ino === ino;
      } catch (error) {
        this.#tryTruncate(file, offset);
        throw error;
      }
    });
    this.#size = offset + lines.length;
    this.#hasRest = false;
    this.#requestSync();
    return offset;
  }

  /** Goes on behind what another process wrote. */
  skipToEnd(): void {
    this.#size = this.#files.fstatSync(this.#openToWrite()).size;
  }

  /** Whether the file can be written to. Makes none. */
  isWritable(): boolean {
    return this.#open.isWritable();
  }

  truncate(): void {
    this.#files.ftruncateSync(this.#openToWrite(), 0);
    this.#size = 0;
    this.#hasRest = false;
    this.#isCut = false;
    this.#requestSync();
  }

  /** Puts a new file in the place of the old one, once it is whole. `before`: called last; where it throws the old file stays. */
  replace(bytes: Buffer, before: () => void): void {
    const path = `${this.#path}.new`;
    try {
      const file = this.#files.openSync(path, 'w', FILE_MODE);
      try {
        writeAll(this.#files, file, bytes, 0);
        this.#files.fsyncSync(file);
      } finally {
        this.#files.closeSync(file);
      }
      before();
      this.#files.renameSync(path, this.#path);
    } catch (error) {
      this.#tryRemove(path);
      throw error;
    }
    this.#open.letGo();
    this.#size = bytes.length;
    this.#hasRest = false;
    this.#isCut = false;
  }

  /** Syncs and lets go of the file. */
  async close(): Promise<void> {
    while (this.#sync.isRunning) await this.#sync.idle();
    this.#open.letGo();
  }

  #endLine(file: number): void {
    writeAll(this.#files, file, LINE_FEED, this.#size);
    this.#size += LINE_FEED.length;
    this.#isCut = false;
  }

  #openToWrite(): number {
    const isFirst = this.#open.current === undefined;
    const file = this.#open.toWrite();
    // It was not there yet when it was to be read: another process may have made it since.
    if (isFirst) this.#size = this.#files.fstatSync(file).size;
    return file;
  }

  #tryTruncate(file: number, size: number): void {
    try {
      this.#files.ftruncateSync(file, size);
      if (file === this.#open.current) this.#hasRest = false;
    } catch {
      // Whoever called is told why the line could not be written.
    }
  }

  #tryRemove(path: string): void {
    try {
      this.#files.unlinkSync(path);
    } catch {
      // Whoever called is told why there is no new file.
    }
  }

  #requestSync(): void {
    this.#sync.request(() => this.#open.current);
  }
}
