import { createHash } from 'node:crypto';
import path from 'node:path';
import { FILE_MODE, type FileFunctions, writeAll } from './file-functions.js';

const TEXT =
  'Messages of pending waits were sent while their journal could not be written. The next start marks them.\n';

/**
 * A sign, outside of the journal, that messages were sent which the journal could not record. It stands beside the journal or, where
 * nothing can be written there either, in the system's temporary folder.
 */
export class UnrecordedSends {
  readonly #paths: string[];
  readonly #files: FileFunctions;
  /** Known to be there. */
  #isThere: boolean = false;
  #mayBeThere: boolean | undefined;

  constructor(journal: string, tempDir: string, files: FileFunctions) {
    const hash = createHash('sha256').update(path.resolve(journal)).digest('hex').slice(0, 16);
    this.#paths = [`${journal}.unrecorded`, path.join(tempDir, `model-processing-waits-${hash}.unrecorded`)];
    this.#files = files;
  }

  /** Whether a sign was left, here or by an earlier process. Where nobody can say, there may be one. */
  get isNoted(): boolean {
    this.#mayBeThere ??= this.#paths.some((file) => this.#mayExist(file));
    return this.#mayBeThere;
  }

  /** Leaves a sign. False where that is not possible. */
  note(): boolean {
    this.#isThere ||= this.#paths.some((file) => this.#tryCreate(file));
    if (this.#isThere) this.#mayBeThere = true;
    return this.#isThere;
  }

  /** Whether a sign is there, or could be left now. */
  canNote(): boolean {
    if (this.isNoted) return true;
    const isPossible = this.note();
    this.clear();
    return isPossible;
  }

  /** Takes the sign away: all is recorded. */
  clear(): void {
    if (!this.isNoted) return;
    for (const file of this.#paths) this.#tryRemove(file);
    this.#isThere = false;
    this.#mayBeThere = this.#paths.some((file) => this.#mayExist(file));
  }

  #mayExist(file: string): boolean {
    try {
      return this.#files.statSync(file, { throwIfNoEntry: false }) !== undefined;
    } catch {
      return true;
    }
  }

  #tryCreate(file: string): boolean {
    let isThere = false;
    try {
      // Never through a link: anybody may write to the temporary folder.
      const created = this.#files.openSync(file, 'wx', FILE_MODE);
      isThere = true;
      writeAll(this.#files, created, Buffer.from(TEXT), 0);
      this.#files.closeSync(created);
    } catch (error) {
      // That it is there is all that it has to say.
      isThere ||= Object(error).code === 'EEXIST';
    }
    return isThere;
  }

  #tryRemove(file: string): void {
    try {
      this.#files.unlinkSync(file);
    } catch {
      // It stays, and marks more messages than it has to.
    }
  }
}
