import { constants } from 'node:fs';
import type { BackgroundSync } from './background-sync.js';
import { FILE_MODE, type FileFunctions } from './file-functions.js';

export interface OpenFileOptions {
  files: FileFunctions;
  sync: BackgroundSync;
  /** The system would not close what is not needed any more. */
  onCloseFailure: (error: unknown) => void;
}

/** The file at a path, opened when it is needed first: to be read, and anew when it is written first. Throws what the system throws. */
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

  /** Its number with the system, if it is open. */
  get current(): number | undefined {
    return this.#file;
  }

  toRead(): number {
    return this.#file ?? this.#takeOver(this.#open(constants.O_RDONLY), false);
  }

  /** Makes the file if there is none. */
  toWrite(): number {
    if (this.#file !== undefined && this.#isWritable) return this.#file;
    return this.#takeOver(this.#open(constants.O_RDWR | constants.O_CREAT), true);
  }

  /** Whether it could be written to. Makes none. */
  isWritable(): boolean {
    try {
      if (!this.#isWritable) this.#takeOver(this.#open(constants.O_RDWR), true);
      return true;
    } catch {
      return false;
    }
  }

  /** Goes over to the file that stands at the path now, unless `prepare` throws. */
  reopen(prepare: (file: number) => void): void {
    const file = this.#open(constants.O_RDWR | constants.O_CREAT);
    try {
      prepare(file);
    } catch (error) {
      this.#close(file);
      throw error;
    }
    this.#takeOver(file, true);
  }

  /** Whether this inode is its own. */
  hasInode(inode: number | undefined): boolean {
    return this.#inode === inode;
  }

  // A sync may be under way on it: its number must not become another's meanwhile.
  letGo(): void {
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

  #takeOver(file: number, isWritable: boolean): number {
    try {
      this.#inode = this.#options.files.fstatSync(file).ino;
    } catch (error) {
      this.#close(file);
      throw error;
    }
    this.letGo();
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
