import type { FileFunctions } from './file-functions.js';

/** File systems that know no sync say so; there is nothing to be done about it. */
const UNSUPPORTED = ['EINVAL', 'ENOSYS', 'ENOTSUP'];

/** Syncs a file to the disk behind what writes to it: as much at once as has gathered meanwhile. Never rejects. */
export class BackgroundSync {
  readonly #files: FileFunctions;
  readonly #onFailure: (error: unknown) => void;
  #isDirty: boolean = false;
  #running: Promise<void> | undefined;

  constructor(files: FileFunctions, onFailure: (error: unknown) => void) {
    this.#files = files;
    this.#onFailure = onFailure;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Waits until all that was written is synced. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Something was written to the file that `current` gives when the sync begins. */
  request(current: () => number | undefined): void {
    this.#isDirty = true;
    this.#running ??= this.#syncAll(current).finally(() => {
      this.#running = undefined;
      if (this.#isDirty) this.request(current);
    });
  }

  async #syncAll(current: () => number | undefined): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false;
      const file = current();
      if (file !== undefined) await this.#syncOnce(file);
    }
  }

  #syncOnce(file: number): Promise<void> {
    return new Promise((resolve) => {
      this.#files.fdatasync(file, (error) => {
        if (error && !UNSUPPORTED.includes(String(error.code))) this.#onFailure(error);
        resolve();
      });
    });
  }
}
