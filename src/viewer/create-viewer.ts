import { createElement } from './interface/create-element.js';
import { STYLE } from './interface/style.js';
import { ModelView } from './model-view.js';
import { readPreview } from './preview/read-preview.js';
import type { ShownModel } from './shown-model.js';
import { ENGLISH } from './texts/english.js';
import type { ViewerTexts } from './texts/viewer-texts.js';

/** How the viewer appears. */
export interface ViewerOptions {
  /** Default: English. */
  texts?: ViewerTexts;
  /** Default: `auto`, that of the browser. */
  theme?: 'light' | 'dark' | 'auto';
}

/** A model to show. */
export interface ViewerModel {
  /** A file of the operation `preview`. */
  preview: Uint8Array;
  /**
   * The URLs of pictures of the model, for browsers without WebGL 2, or a function that yields them: called without WebGL
   * only. Each picture is shown as soon as it is yielded. The iteration is ended when another model is shown.
   */
  pictures?: readonly string[] | (() => AsyncIterable<string>);
}

/** A viewer in a page. */
export interface Viewer {
  /**
   * Shows a model, or compares it with that before a repair. Replaces what was shown. Throws a PreviewError if a file
   * is not a preview, and a TypeError after `dispose`.
   */
  show(model: ViewerModel, before?: ViewerModel): void;
  /** Changes the theme. */
  setTheme(theme: NonNullable<ViewerOptions['theme']>): void;
  /** Removes the viewer from the page, and releases its memory and its WebGL context. */
  dispose(): void;
}

/**
 * Creates a viewer that fills `element`, which must have a height. It has a shadow root, so the styles of the page do
 * not affect it. Browsers limit the number of WebGL contexts: create one viewer in a page, and call `show` repeatedly.
 */
export function createViewer(element: HTMLElement, options: ViewerOptions = {}): Viewer {
  const { texts = ENGLISH, theme = 'auto' } = options;
  const host = createElement('div', { attributes: { 'data-theme': theme, lang: texts.language } });
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  element.append(host);
  const view = new ModelView(root, texts);
  let isDisposed = false;
  return {
    show(model, before) {
      if (isDisposed) throw new TypeError('The viewer was disposed. Create a new one.');
      view.show(read(model), before && read(before));
    },
    setTheme(changed) {
      host.setAttribute('data-theme', changed);
    },
    dispose() {
      if (isDisposed) return;
      isDisposed = true;
      view.dispose();
      host.remove();
    },
  };
}

function read({ preview, pictures = [] }: ViewerModel): ShownModel {
  const readPictures = async function* (): AsyncGenerator<string> {
    try {
      yield* typeof pictures === 'function' ? pictures() : pictures;
    } catch {
      // The reason why there is no 3D view is shown, with the pictures until then.
    }
  };
  return { preview: readPreview(preview), readPictures };
}
