import { constants } from 'node:fs';
import type { BackgroundSync } from './background-sync.js';
import { FILE_MODE, type FileFunctions } from './file-functions.js';

/** The dependencies of an `OpenFile`. */
export interface OpenFileOptions {
  files: FileFunctions;
  sync: BackgroundSync;
  /** Called when a file descriptor could not be closed. */
  onCloseFailure: (error: unknown) => void;
}

/**
 * The file at a path, opened on first use: first for reading, and again for writing on the first write. Throws the
 * errors of the operating system.
 */
export class OpenFile {
  readonly #path: string;
  readonly #options: OpenFileOptions;
  #file: number | undefined;
  #inode = 0;
  #isWritable: boolean = false;

  constructor(path: string, options: OpenFileOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** The file descriptor, if the file is open. */
  get current(): number | undefined {
    return this.#file;
  }

  /** Returns a descriptor for reading. */
  getReadable(): number {
    return this.#file ?? this.#setDescriptor(this.#open(constants.O_RDONLY), false);
  }

  /** Returns a descriptor for reading and writing. Creates the file if it does not exist. */
  getWritable(): number {
    if (this.#file !== undefined && this.#isWritable) return this.#file;
    return this.#setDescriptor(this.#open(constants.O_RDWR | constants.O_CREAT), true);
  }

  /** Returns whether the file can be written to. Does not create it. */
  isWritable(): boolean {
    try {
      if (!this.#isWritable) this.#setDescriptor(this.#open(constants.O_RDWR), true);
      return true;
    } catch {
      return false;
    }
  }

  /** Switches to the file that is at the path now, unless `prepare` throws. */
  reopen(prepare: (file: number) => void): void {
    const file = this.#open(constants.O_RDWR | constants.O_CREAT);
    try {
      prepare(file);
    } catch (error) {
      this.#close(file);
      throw error;
    }
    this.#setDescriptor(file, true);
  }

  /** Returns whether the open file has this inode. */
  hasInode(inode: number | undefined): boolean {
    return this.#inode === inode;
  }

  /** Closes the file, after a running sync: the operating system must not reuse its descriptor meanwhile. */
  closeDescriptor(): void {
    const { sync, onCloseFailure } = this.#options;
    const file = this.#file;
    this.#file = undefined;
    this.#isWritable = false;
    if (file === undefined) return;
    const close = (): void => this.#close(file);
    if (sync.isRunning) sync.idle().then(close).catch(onCloseFailure);
    else close();
  }

  #open(flags: number): number {
    return this.#options.files.openSync(this.#path, flags, FILE_MODE);
  }

  #setDescriptor(file: number, isWritable: boolean): number {
    try {
      this.#inode = this.#options.files.fstatSync(file).ino;
    } catch (error) {
      this.#close(file);
      throw error;
    }
    this.closeDescriptor();
    this.#file = file;
    this.#isWritable = isWritable;
    return file;
  }

  #close(file: number): void {
    try {
      this.#options.files.closeSync(file);
    } catch (error) {
      this.#options.onCloseFailure(error);
    }
  }
}
