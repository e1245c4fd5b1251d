import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';

/** Where a line stands in a file, in bytes. */
export interface LinePlace {
  offset: number;
  length: number;
}

// It holds messages, which are nobody else's business.
const MODE = 0o600;

const writeAll = (file: number, bytes: Buffer): void => {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
};

/**
 * A file that grows by whole lines. What was written is with the operating system when the call returns, so that it survives the end of
 * this process, however it ends; it is synced to the disk behind that, as much at once as has gathered meanwhile, and `onSyncFailure` is told
 * where that cannot be done. All else throws what the system throws; a line that could not be written leaves nothing behind.
 */
export class LineFile {
  readonly #path: string;
  readonly #onSyncFailure: (error: unknown) => void;
  #file: number | undefined;
  #size = 0;
  #isDirty: boolean = false;
  #isSyncing: boolean = false;
  #syncing = Promise.resolve();

  constructor(path: string, onSyncFailure: (error: unknown) => void) {
    this.#path = path;
    this.#onSyncFailure = onSyncFailure;
  }

  /** Bytes of all lines. */
  get size(): number {
    return this.#size;
  }

  /** All that is in the file; `undefined` where there is none yet. */
  load(): Buffer | undefined {
    try {
      const bytes = readFileSync(this.#path);
      this.#size = bytes.length;
      return bytes;
    } catch (error) {
      if (Object(error).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Adds a line; answers where it begins. */
  append(line: Buffer): number {
    const offset = this.#size;
    try {
      writeAll(this.#open(), line);
    } catch (error) {
      // Half a line would take the next one along.
      if (this.#file !== undefined) ftruncateSync(this.#file, offset);
      throw error;
    }
    this.#size += line.length;
    this.#sync();
    return offset;
  }

  read({ offset, length }: LinePlace): Buffer {
    const bytes = Buffer.alloc(length);
    readSync(this.#open(), bytes, 0, length, offset);
    return bytes;
  }

  empty(): void {
    ftruncateSync(this.#open(), 0);
    this.#size = 0;
    this.#sync();
  }

  /** Puts a new file in the place of the old one, once it is whole. */
  replace(bytes: Buffer): void {
    const path = `${this.#path}.new`;
    const file = openSync(path, 'w', MODE);
    try {
      writeAll(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(path, this.#path);
    this.#letGo();
    this.#size = bytes.length;
  }

  /** Syncs and lets go of the file. */
  async close(): Promise<void> {
    while (this.#isSyncing) await this.#syncing;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    this.#file ??= openSync(this.#path, 'a+', MODE);
    return this.#file;
  }

  // A sync may be under way on the old file: its number must not become another's meanwhile.
  #letGo(): void {
    const old = this.#file;
    this.#file = undefined;
    if (old === undefined) return;
    this.#syncing.then(() => closeSync(old)).catch(this.#onSyncFailure);
  }

  #sync(): void {
    this.#isDirty = true;
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    this.#syncing = this.#syncAll().finally(() => {
      this.#isSyncing = false;
      if (this.#isDirty && this.#file !== undefined) this.#sync();
    });
  }

  async #syncAll(): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false;
      const file = this.#file;
      if (file === undefined) return;
      await new Promise<void>((resolve) => {
        fdatasync(file, (error) => {
          if (error) this.#onSyncFailure(error);
          resolve();
        });
      });
    }
  }
}
