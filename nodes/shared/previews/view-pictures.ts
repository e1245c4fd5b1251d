import type { Connection } from '../service/connection.js';
import { createViewPicture, VIEW_COUNT } from './create-preview-files.js';
import type { ModelEntry } from './model-entry.js';

/** The maximum time for a picture, after which the next request creates it again. */
const DEADLINE_MS = 60_000;

/** The pictures of models from eight directions, for browsers without WebGL. Each is created when it is first needed. */
export class ViewPictures {
  /** entry → direction → id of the file */
  readonly #fileIds = new WeakMap<ModelEntry, Map<number, Promise<string | undefined>>>();

  /** Returns the id of the file of a picture; `undefined` if there is no such direction. Rejects with the error of the operation. */
  read(connection: Connection, entry: ModelEntry, view: number): Promise<string | undefined> {
    if (!Number.isInteger(view) || view < 0 || view >= VIEW_COUNT) return Promise.resolve(undefined);
    const fileIds = this.#fileIds.get(entry) ?? new Map<number, Promise<string | undefined>>();
    this.#fileIds.set(entry, fileIds);
    const existing = fileIds.get(view);
    if (existing) return existing;
    // An editor that is closed does not end the picture: others may wait for it.
    const created = createViewPicture(connection, entry.modelId, view, AbortSignal.timeout(DEADLINE_MS)).catch(
      (error: unknown) => {
        fileIds.delete(view);
        throw error;
      },
    );
    fileIds.set(view, created);
    return created;
  }
}
