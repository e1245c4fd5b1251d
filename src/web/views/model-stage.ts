import type * as ViewerModule from '../../viewer/index.js';
import { createElement } from '../dom.js';
import type { Actions } from '../models/actions.js';
import { findShownFile, type Item, type Version } from '../models/items.js';
import type { Library } from '../models/library.js';
import { filePath, requestBytes } from '../requests/requests.js';
import { fill, language, texts } from '../texts/current.js';

/** The previews that are kept, so that going back and forth between versions loads nothing. */
const KEPT_PREVIEWS = 4;

let viewerModule: Promise<typeof ViewerModule> | undefined;

/** Loads the viewer when it is first needed. It is a file of its own, next to the script of the page. */
function loadViewer(): Promise<typeof ViewerModule> {
  const url = './viewer.js';
  viewerModule ??= import(url) as Promise<typeof ViewerModule>;
  viewerModule.catch(() => {
    viewerModule = undefined;
  });
  return viewerModule;
}

let isWebglAvailable: boolean | undefined;

/** Returns whether the viewer can draw. If not, it shows pictures, which may be ready after the previews. */
function hasWebgl(): boolean {
  isWebglAvailable ??= document.createElement('canvas').getContext('webgl2') !== null;
  return isWebglAvailable;
}

/** A model to show, with the files that were created for it so far. */
interface ShownFiles {
  preview: string | undefined;
  picture: string | undefined;
}

/** The 3D view of a version, compared with the one before it. Until it is ready, a picture. */
export class ModelStage {
  readonly element = createElement('div', { className: 'stage' });
  readonly #host = createElement('div', { className: 'viewer-host' });
  readonly #placeholder = createElement('div', { className: 'placeholder' });
  readonly #library: Library;
  readonly #actions: Actions;
  readonly #previews = new Map<string, Promise<Uint8Array>>();
  #viewer: ViewerModule.Viewer | undefined;
  #viewerLanguage = '';
  /** What is shown, or being loaded. */
  #shown = '';
  #itemId = '';

  constructor(library: Library, actions: Actions) {
    this.#library = library;
    this.#actions = actions;
    this.element.append(this.#placeholder, this.#host);
    this.#host.hidden = true;
  }

  /** Shows a version of an item. Has its preview created if there is none. */
  show(item: Item, version: Version): void {
    const after = this.#findFiles(item, version.modelId);
    const beforeId = version.operation.operation === 'import' ? undefined : version.operation.inputId;
    const before =
      beforeId !== undefined && this.#library.isStored(beforeId) ? this.#findFiles(item, beforeId) : undefined;
    const hasFailed = item.operations.some(
      ({ operation, inputId, isCompleted, isSuccessful }) =>
        operation === 'preview' && inputId === version.modelId && isCompleted && !isSuccessful,
    );
    // A preview of the model before it that is not ready yet is added when it is.
    const key = JSON.stringify([
      language(),
      version.modelId,
      after.preview,
      before?.preview,
      after.preview === undefined || !hasWebgl() ? [after.picture, before?.picture] : [],
      hasFailed,
    ]);
    if (key === this.#shown) return;
    this.#shown = key;
    if (this.#itemId !== item.id) this.#host.hidden = true; // never a model below the name of another one
    this.#itemId = item.id;
    if (after.preview === undefined) this.#showPlaceholder(item, after.picture, hasFailed);
    else void this.#load(key, item, { ...after, preview: after.preview }, before);
  }

  /** Removes the viewer, and releases its memory. */
  clear(): void {
    this.#shown = '';
    this.#host.hidden = true;
    this.#viewer?.dispose();
    this.#viewer = undefined;
    this.#previews.clear();
  }

  #findFiles(item: Item, modelId: string): ShownFiles {
    const find = (operation: 'preview' | 'thumbnail'): string | undefined => {
      const fileId = findShownFile(item, modelId, operation, this.#library.isStored);
      if (fileId === undefined) this.#actions.ensure(operation, modelId, item.filename);
      return fileId;
    };
    return { preview: find('preview'), picture: find('thumbnail') };
  }

  #showPlaceholder(item: Item, picture: string | undefined, hasFailed: boolean): void {
    this.#host.hidden = true;
    this.#placeholder.hidden = false;
    const alt = fill(texts().list.picture, { name: item.filename });
    const text = hasFailed ? texts().detail.viewFailed : texts().detail.viewLoading;
    this.#placeholder.replaceChildren(
      ...(picture === undefined ? [] : [createElement('img', { attributes: { src: filePath(picture), alt } })]),
      createElement('p', { className: 'muted', attributes: { role: 'status' } }, text),
    );
  }

  #loadPreview(fileId: string): Promise<Uint8Array> {
    const known = this.#previews.get(fileId);
    if (known !== undefined) return known;
    const loading = requestBytes(filePath(fileId));
    this.#previews.set(fileId, loading);
    loading.catch(() => this.#previews.delete(fileId));
    const [oldest] = this.#previews.keys();
    if (this.#previews.size > KEPT_PREVIEWS && oldest !== undefined) this.#previews.delete(oldest);
    return loading;
  }

  async #load(key: string, item: Item, after: ShownFiles & { preview: string }, before: ShownFiles | undefined) {
    if (this.#host.hidden) this.#showPlaceholder(item, after.picture, false);
    try {
      const [module, preview, other] = await Promise.all([
        loadViewer(),
        this.#loadPreview(after.preview),
        before?.preview === undefined ? undefined : this.#loadPreview(before.preview),
      ]);
      if (this.#shown !== key) return;
      this.#host.hidden = false;
      this.#placeholder.hidden = true;
      const pictures = (files: ShownFiles): string[] => (files.picture === undefined ? [] : [filePath(files.picture)]);
      this.#open(module).show(
        { preview, pictures: pictures(after) },
        other && before && { preview: other, pictures: pictures(before) },
      );
    } catch {
      if (this.#shown === key) this.#showPlaceholder(item, after.picture, true);
    }
  }

  #open({ createViewer, ENGLISH, GERMAN }: typeof ViewerModule): ViewerModule.Viewer {
    if (this.#viewer && this.#viewerLanguage === language()) return this.#viewer;
    this.#viewer?.dispose();
    this.#viewerLanguage = language();
    this.#viewer = createViewer(this.#host, { texts: language() === 'de' ? GERMAN : ENGLISH });
    return this.#viewer;
  }
}
