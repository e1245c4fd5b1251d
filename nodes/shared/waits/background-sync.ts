import type { FileFunctions } from './file-functions.js';

/** Codes of file systems without sync. They are ignored, since there is no alternative. */
const UNSUPPORTED = ['EINVAL', 'ENOSYS', 'ENOTSUP'];

/** Syncs a file to the disk in the background (fdatasync). Writes during a sync share the next one. Never rejects. */
export class BackgroundSync {
  readonly #files: FileFunctions;
  readonly #onFailure: (error: unknown) => void;
  #isDirty: boolean = false;
  #running: Promise<void> | undefined;

  constructor(files: FileFunctions, onFailure: (error: unknown) => void) {
    this.#files = files;
    this.#onFailure = onFailure;
  }

  /** Whether a sync is running. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when the running sync has finished. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /**
   * Requests a sync after a write. `current` returns the file descriptor when the sync begins, or `undefined` if the
   * file has been closed.
   */
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
