import { createHash } from 'node:crypto';
import path from 'node:path';
import { FILE_MODE, type FileFunctions, writeAll } from './file-functions.js';

const TEXT =
  'Messages of pending waits were sent while their journal could not be written. The next start marks them.\n';

/**
 * A marker file: messages were sent that the journal could not record. It is beside the journal or, if it cannot be
 * created there, in the temporary folder of the system.
 */
export class UnrecordedSends {
  readonly #paths: string[];
  readonly #files: FileFunctions;
  /** The marker is known to exist. */
  #exists: boolean = false;
  #mayExist: boolean | undefined;

  constructor(journal: string, tempDir: string, files: FileFunctions) {
    const hash = createHash('sha256').update(path.resolve(journal)).digest('hex').slice(0, 16);
    this.#paths = [`${journal}.unrecorded`, path.join(tempDir, `model-processing-waits-${hash}.unrecorded`)];
    this.#files = files;
  }

  /** Whether a marker exists, of this or an earlier process. True if that cannot be determined. */
  get isMarked(): boolean {
    this.#mayExist ??= this.#paths.some((file) => this.#mayFileExist(file));
    return this.#mayExist;
  }

  /** Creates the marker. Returns false if that is not possible. */
  tryMark(): boolean {
    this.#exists ||= this.#paths.some((file) => this.#tryCreate(file));
    if (this.#exists) this.#mayExist = true;
    return this.#exists;
  }

  /** Returns whether a marker exists or could be created now. */
  canMark(): boolean {
    if (this.isMarked) return true;
    const isPossible = this.tryMark();
    this.clear();
    return isPossible;
  }

  /** Removes the marker, when everything is recorded. */
  clear(): void {
    if (!this.isMarked) return;
    for (const file of this.#paths) this.#tryRemove(file);
    this.#exists = false;
    this.#mayExist = this.#paths.some((file) => this.#mayFileExist(file));
  }

  #mayFileExist(file: string): boolean {
    try {
      return this.#files.statSync(file, { throwIfNoEntry: false }) !== undefined;
    } catch {
      return true;
    }
  }

  #tryCreate(file: string): boolean {
    let exists = false;
    try {
      // The flag `x` does not follow links: every user can write to the temporary folder.
      const created = this.#files.openSync(file, 'wx', FILE_MODE);
      exists = true;
      writeAll(this.#files, created, Buffer.from(TEXT), 0);
      this.#files.closeSync(created);
    } catch (error) {
      // The existence of the file is all that counts.
      exists ||= Object(error).code === 'EEXIST';
    }
    return exists;
  }

  #tryRemove(file: string): void {
    try {
      this.#files.unlinkSync(file);
    } catch {
      // The marker stays. More messages than necessary are then marked as repeats.
    }
  }
}
