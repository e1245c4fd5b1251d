import { BackgroundSync } from './background-sync.js';
import { FILE_FUNCTIONS, FILE_MODE, type FileFunctions, readUpTo, writeAll } from './file-functions.js';
import { OpenFile } from './open-file.js';

/** The range of a line in a file, in bytes. */
export interface LineRange {
  offset: number;
  length: number;
}

/** Bytes of a line that are overwritten once the whole line has been written. `offset` is relative to the line. */
export interface LineHead {
  offset: number;
  bytes: Buffer;
}

const LINE_FEED = Buffer.from('\n');

/**
 * A file to which whole lines are appended, and in which bytes can be overwritten, which needs no disk space. It is
 * opened for writing on the first write.
 *
 * Writes have reached the operating system when a call returns, so they survive the end of this process, even a crash.
 * They are synced to the disk in the background, several at once; `onSyncFailure` is called if that fails. All other
 * errors of the operating system are thrown.
 */
export class AppendOnlyFile {
  readonly #path: string;
  readonly #files: FileFunctions;
  readonly #sync: BackgroundSync;
  readonly #open: OpenFile;
  #size = 0;
  /** Part of a line that could not be written may follow the last line. */
  #hasPartialLine: boolean = false;
  /** The path and the open file report the same inode. */
  #hasStableInode: boolean = true;
  /** The loaded file does not end with a line feed. */
  #isUnterminated: boolean = false;

  constructor(path: string, onSyncFailure: (error: unknown) => void, files: FileFunctions = FILE_FUNCTIONS) {
    this.#path = path;
    this.#files = files;
    this.#sync = new BackgroundSync(files, onSyncFailure);
    this.#open = new OpenFile(path, { files, sync: this.#sync, onCloseFailure: onSyncFailure });
  }

  /** The size of all lines in bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Reads the whole file. Returns `undefined` if it does not exist. The file stays open, so that it can still be read
   * after it was removed or when no file descriptors are left.
   */
  load(): Buffer | undefined {
    try {
      const file = this.#open.getReadable();
      const bytes = readUpTo(this.#files, file, 0, this.#files.fstatSync(file).size);
      this.#size = bytes.length;
      this.#isUnterminated = bytes.length > 0 && bytes.at(-1) !== LINE_FEED[0];
      return bytes;
    } catch (error) {
      // The path may lead to another file at the next attempt.
      this.#open.closeDescriptor();
      if (Object(error).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Appends a line, then writes its head. Returns the offset of the line. */
  append(line: Buffer, head: LineHead): number {
    const file = this.#openToWrite();
    if (this.#hasPartialLine) this.#files.ftruncateSync(file, this.#size);
    if (this.#isUnterminated) this.#endLine(file);
    const offset = this.#size;
    this.#hasPartialLine = true;
    try {
      writeAll(this.#files, file, line, offset);
      writeAll(this.#files, file, head.bytes, offset + head.offset);
    } catch (error) {
      // A partial line would corrupt the next one. If it cannot be removed now, it is removed before the next write.
      this.#tryTruncate(file, offset);
      throw error;
    }
    this.#hasPartialLine = false;
    this.#size += line.length;
    this.#requestSync();
    return offset;
  }

  /** Overwrites bytes at `offset`. */
  overwrite(offset: number, bytes: Buffer): void {
    writeAll(this.#files, this.#openToWrite(), bytes, offset);
    this.#requestSync();
  }

  /** Reads a line. */
  read({ offset, length }: LineRange): Buffer {
    const bytes = readUpTo(this.#files, this.#open.getReadable(), offset, length);
    if (bytes.length < length) throw new Error(`${this.#path} has been truncated`);
    return bytes;
  }

  /** Returns how another process changed the file: appended to it (`grown`), or replaced or removed it (`replaced`). */
  findExternalChange(): 'grown' | 'replaced' | undefined {
    if (this.#open.current === undefined) return undefined;
    const status = this.#files.statSync(this.#path, { throwIfNoEntry: false });
    if (!this.#open.hasInode(status?.ino) && this.#hasStableInode) return 'replaced';
    return !status || status.size === this.#size || this.#hasPartialLine ? undefined : 'grown';
  }

  /** Switches to the file that is at the path now, and appends `lines` to it. Returns their offset. */
  appendToReplacement(lines: Buffer): number {
    let offset = 0;
    this.#open.reopen((file) => {
      const { size, ino } = this.#files.fstatSync(file);
      offset = size;
      try {
        writeAll(this.#files, file, lines, offset);
        // On a file system that reports different inodes for one file, every check would find a replaced file.
        this.#hasStableInode = this.#files.statSync(this.#path).ino === ino;
      } catch (error) {
        this.#tryTruncate(file, offset);
        throw error;
      }
    });
    this.#size = offset + lines.length;
    this.#hasPartialLine = false;
    this.#requestSync();
    return offset;
  }

  /** Continues after the lines that another process appended. */
  skipToEnd(): void {
    this.#size = this.#files.fstatSync(this.#openToWrite()).size;
  }

  /** Returns whether the file can be written to. Does not create it. */
  isWritable(): boolean {
    return this.#open.isWritable();
  }

  /** Removes all lines. */
  truncate(): void {
    this.#files.ftruncateSync(this.#openToWrite(), 0);
    this.#size = 0;
    this.#hasPartialLine = false;
    this.#isUnterminated = false;
    this.#requestSync();
  }

  /**
   * Replaces the file by a new one, once that is complete and synced (write, fsync, rename). `before` is called just
   * before the rename; if it throws, the old file stays.
   */
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
    this.#open.closeDescriptor();
    this.#size = bytes.length;
    this.#hasPartialLine = false;
    this.#isUnterminated = false;
  }

  /** Waits for the sync and closes the file. */
  async close(): Promise<void> {
    while (this.#sync.isRunning) await this.#sync.idle();
    this.#open.closeDescriptor();
  }

  #endLine(file: number): void {
    writeAll(this.#files, file, LINE_FEED, this.#size);
    this.#size += LINE_FEED.length;
    this.#isUnterminated = false;
  }

  #openToWrite(): number {
    const isFirst = this.#open.current === undefined;
    const file = this.#open.getWritable();
    // If the file did not exist when it was loaded, another process may have created it since.
    if (isFirst) this.#size = this.#files.fstatSync(file).size;
    return file;
  }

  #tryTruncate(file: number, size: number): void {
    try {
      this.#files.ftruncateSync(file, size);
      if (file === this.#open.current) this.#hasPartialLine = false;
    } catch {
      // The caller gets the error of the write.
    }
  }

  #tryRemove(path: string): void {
    try {
      this.#files.unlinkSync(path);
    } catch {
      // The caller gets the error that prevented the new file.
    }
  }

  #requestSync(): void {
    this.#sync.request(() => this.#open.current);
  }
}
