import type { Locator, Page } from 'playwright-core';
import type { Editor } from './editor.js';

/** The sidebar tab *Models*, its tray, and the pictures under the nodes. */
export class ModelsTab {
  readonly #editor: Editor;
  readonly #page: Page;

  constructor(editor: Editor) {
    this.#editor = editor;
    this.#page = editor.page;
  }

  get rows(): Locator {
    return this.#page.locator('.model-processing-row');
  }

  get detail(): Locator {
    return this.#page.locator('.model-processing-detail');
  }

  /** Brings the tab to the front. */
  async show(): Promise<void> {
    await this.#editor.invoke('model-processing:show-models');
    await this.#page.locator('.model-processing-list').waitFor();
  }

  /** Returns the picture under a node. */
  picture(id: string): Locator {
    return this.#page.locator(`[id="${id}"] .model-processing-picture`);
  }

  /** Waits until the tab lists this number of models. */
  async waitForRows(count: number): Promise<void> {
    await this.#page.waitForFunction(
      (expected) => document.querySelectorAll('.model-processing-row').length === expected,
      count,
    );
  }

  /** Waits until the list shows this number of pictures. */
  async waitForPictures(count: number): Promise<void> {
    await this.#page.waitForFunction(
      (expected) => document.querySelectorAll('.model-processing-row img').length === expected,
      count,
    );
  }

  /** Waits until the tray with a model is open, and does not move any more. */
  async waitForTray(): Promise<void> {
    await this.#page.waitForFunction(() => {
      const tray = document.querySelector<HTMLElement>('.red-ui-tray:has(.model-processing-detail)');
      return tray?.style.right === '0px' && tray.getAnimations().length === 0;
    });
  }

  /** Waits until the viewer shows a model, or its pictures in a browser without WebGL. */
  async waitForView(): Promise<void> {
    await this.#page.locator('.model-processing-view[data-has-mesh]').waitFor();
  }

  /** Returns the parts of the tab that are wider than it, and the catalog keys that it shows. */
  findFlaws(): Promise<string[]> {
    return this.#page
      .locator('.model-processing-models')
      .last()
      .evaluate((tab) => {
        const keys = (tab.textContent ?? '').match(/models\.[a-z]\w*(\.\w+)*/gi) ?? [];
        const wide = [
          ...tab.querySelectorAll('.model-processing-page, .model-processing-detail, .model-processing-header'),
        ]
          .filter((part) => part.scrollWidth > part.clientWidth + 1)
          .map((part) => part.className);
        return [...keys, ...wide];
      });
  }
}
