import { raceAbort } from '../../../src/client/combine-signals.js';
import { createNodeError } from '../node/flow-error.js';

/** How long a list is used: the formats of a service change only when it is updated. */
const LIST_VALID_MS = 300_000;
/** How long uploads are not checked after the list could not be read. */
const FAILURE_VALID_MS = 30_000;

/** The dependencies of `ImportExtensions`. */
export interface ImportExtensionsOptions {
  /** Reads the list of the service. */
  read: () => Promise<readonly string[]>;
  /** A monotonic clock in ms. Default: `performance.now`. */
  now?: () => number;
}

/** The file extensions that a service imports. Read before the first upload, and again when the list has expired. */
export class ImportExtensions {
  readonly #read: () => Promise<readonly string[]>;
  readonly #now: () => number;
  #list: Promise<readonly string[]> | undefined;
  #validUntil = Number.NEGATIVE_INFINITY;

  constructor({ read, now = () => performance.now() }: ImportExtensionsOptions) {
    this.#read = read;
    this.#now = now;
  }

  /**
   * Throws `REFUSED`, with the accepted extensions, if the service does not import files with this extension. Does
   * not throw if the service has no list, if it cannot be read, or if the filename has no extension. Throws `ABORTED`.
   */
  async assertAccepted(filename: string, signal: AbortSignal): Promise<void> {
    const extension = /[^.]\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase();
    if (extension === undefined) return;
    const accepted = await raceAbort(this.#current(), signal, () =>
      createNodeError('ABORTED', `The upload of ${filename} was aborted.`),
    );
    if (accepted.length === 0 || accepted.includes(extension)) return;
    throw createNodeError(
      'REFUSED',
      `Could not upload ${filename}: the service does not import .${extension} files. Use one of ${accepted.join(', ')}.`,
    );
  }

  // Concurrent uploads share one request.
  #current(): Promise<readonly string[]> {
    if (this.#list && this.#now() < this.#validUntil) return this.#list;
    this.#validUntil = Number.POSITIVE_INFINITY;
    this.#list = this.#load();
    return this.#list;
  }

  // Never rejects: if the service does not work, the upload reports the reason.
  async #load(): Promise<readonly string[]> {
    let validMs = FAILURE_VALID_MS;
    try {
      const list = await this.#read();
      validMs = LIST_VALID_MS;
      return list;
    } catch {
      return [];
    } finally {
      this.#validUntil = this.#now() + validMs;
    }
  }
}
