import type { OperationHandle } from '../../api/index.js';
import { createKey, filePath, RequestError, requestJson } from '../requests/requests.js';
import { type Item, outputOf } from './items.js';
import type { Library } from './library.js';
import type { Retries } from './retries.js';

/** Parameters of an operation as the service takes them. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;

/** What an import reads. */
export interface ImportSource {
  /** The id of the file. */
  id: string;
  filename: string;
  /** The path of the model in an archive. */
  entry?: string | undefined;
}

/** Returns what an import reads again for an item. */
export function sourceOf({ id, filename, entry }: Item): ImportSource {
  return entry ? { id: entry.archiveId, filename: entry.archiveName, entry: entry.path } : { id, filename };
}

const PREVIEW = { triangles: 200_000 };
const THUMBNAIL = {
  ...{ width: 400, height: 300, cameraAngleX: 25, cameraAngleY: 0, cameraAngleZ: -35, background: 'transparent' },
};

/** What a person, or the page on its own, does with models. All methods throw `RequestError`. */
export class Actions {
  readonly #library: Library;
  readonly #retries: Retries;
  /** What the page has started on its own, or failed to start. */
  readonly #ensured = new Set<string>();

  constructor(library: Library, retries: Retries) {
    this.#library = library;
    this.#retries = retries;
  }

  /** Starts an operation. With the same `key`, it is started once. */
  async start(
    operation: string,
    input: { id: string; filename: string },
    parameters: Parameters,
    key = createKey(),
  ): Promise<string> {
    const idField = operation === 'import' ? 'fileId' : 'inputId';
    const body = { [idField]: input.id, ...parameters };
    const path = `web-api/operation/${operation}`;
    const { operationId } = await requestJson<OperationHandle>(path, { method: 'POST', body, key });
    this.#library.addOperation({
      ...{ operationId, operation, isCompleted: false, isSuccessful: false },
      ...{ inputId: input.id, filename: input.filename, createdAt: new Date().toISOString() },
      ...(typeof parameters.entry === 'string' && { entry: parameters.entry }),
    });
    return operationId;
  }

  /** Reads an uploaded file. `unit`: that of a format without one. With the same `key`, it is read once. */
  importFile({ id, filename, entry }: ImportSource, unit: string | undefined, key = createKey()): Promise<string> {
    return this.start('import', { id, filename }, { measurementUnits: unit, entry }, key);
  }

  /** Reads a file that was just uploaded. As its upload, this is tried again until the service is reached. */
  async importUpload(source: ImportSource, unit: string | undefined): Promise<string | undefined> {
    const key = createKey();
    return this.#retries.run(() => this.importFile(source, unit, key));
  }

  /** Reads models of an archive, one import each. Returns the ids of the items that they become. */
  async importEntries(item: Item, entries: readonly string[], unit: string | undefined): Promise<string[]> {
    const ids: string[] = [];
    for (const entry of entries) {
      const id = await this.importUpload({ id: item.id, filename: item.filename, entry }, unit);
      if (id !== undefined) ids.push(id);
    }
    return ids;
  }

  /**
   * Has the picture or the preview of a model created, unless this was done before. Other tabs that do the same get the
   * same operation. A failure is not reported: the model is shown without it.
   */
  ensure(operation: 'preview' | 'thumbnail', modelId: string, filename: string): void {
    const key = `page-${operation}-${modelId}`;
    if (this.#ensured.has(key)) return;
    this.#ensured.add(key);
    const parameters = operation === 'preview' ? PREVIEW : { ...THUMBNAIL, priority: 'low' };
    this.start(operation, { id: modelId, filename }, parameters, key).catch(() => undefined);
  }

  /** Whether the page can start this on its own in the future. */
  wasEnsured(operation: 'preview' | 'thumbnail', modelId: string): boolean {
    return this.#ensured.has(`page-${operation}-${modelId}`);
  }

  async cancel(operationId: string): Promise<void> {
    await requestJson(`web-api/operation/${operationId}`, { method: 'DELETE' });
    this.#library.expedite();
  }

  /** Deletes the file of an item and everything that was made from it. */
  async delete(item: Item): Promise<void> {
    const outputs = item.operations.map(outputOf).filter((id) => id !== undefined);
    const ids = [item.id, ...outputs].filter(this.#library.isStored);
    for (const id of ids) {
      await requestJson(filePath(id), { method: 'DELETE' }).catch((error: unknown) => {
        if (!(error instanceof RequestError && error.isMissing)) throw error;
      });
      this.#library.removeFile(id);
    }
  }
}

/** Has the browser download a stored file, to its own folder and with its own progress. */
export function download(fileId: string): void {
  const link = document.createElement('a');
  link.href = filePath(fileId);
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}
