import { raceAbort } from '../../../src/client/combine-signals.js';
import { createNodeError } from '../node/flow-error.js';
import { CachedList, type CachedListOptions } from './cached-list.js';

/** The file extensions that a service imports. Read before the first upload, and again when the list has expired. */
export class ImportExtensions {
  readonly #list: CachedList;

  constructor(options: CachedListOptions) {
    this.#list = new CachedList(options);
  }

  /**
   * Throws `REFUSED`, with the accepted extensions, if the service does not import files with this extension. Does
   * not throw if the service has no list, if it could not be read yet, or if the filename has no extension. Throws
   * `ABORTED`.
   */
  async assertAccepted(filename: string, signal: AbortSignal): Promise<void> {
    const extension = /[^.]\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase();
    if (extension === undefined) return;
    const accepted = await raceAbort(this.#list.current(), signal, () =>
      createNodeError('ABORTED', `The upload of ${filename} was aborted.`),
    );
    if (accepted.length === 0 || accepted.includes(extension)) return;
    throw createNodeError(
      'REFUSED',
      `Could not upload "${filename}": the service does not import .${extension} files. Use one of ${accepted.join(', ')}.`,
    );
  }
}
