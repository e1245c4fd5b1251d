import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import {
  type EditorNode,
  type EditorService,
  importNodes,
  readInvalidTypes,
  readModelNodes,
  readNodeIds,
  readServices,
  readValidationErrors,
} from './editor-state.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The folder for the screenshots of a run; ignored by git. */
const SCREENSHOTS = 'test/editor/pictures';

// The global of the editor page, for functions that page.evaluate() runs there.
declare const RED: {
  actions: { invoke(action: string): void };
  nodes: {
    getType(type: string): unknown;
    dirty(): boolean;
  };
  settings: { version: string; setLocal(key: string, value: string): void };
};

/** An open dialog of a node or config node. `done` presses its *Done* button. */
export interface Dialog {
  panel: Locator;
  form: Locator;
  done: () => Promise<void>;
}

/** Starts the browser that opens the editor. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** The Node-RED editor in a browser tab, controlled with mouse and keyboard events. */
export class Editor {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Opens the editor at `url`. Resolves when its palette is loaded. */
  static async open(browser: Browser, url: string, options: BrowserContextOptions & { theme?: 'dark' } = {}) {
    const { theme, ...context } = options;
    const page = await browser.newPage({ viewport: { width: 1240, height: 640 }, ...context });
    page.setDefaultTimeout(120_000);
    await page.goto(url);
    const editor = new Editor(page);
    await editor.#waitUntilReady();
    if (theme) {
      await page.evaluate((name) => RED.settings.setLocal('view-dark-theme', name), theme);
      await page.reload();
      await editor.#waitUntilReady();
    }
    // Notifications cover the buttons of a dialog for some seconds.
    await page.addStyleTag({ content: '#red-ui-notifications { display: none }' });
    return editor;
  }

  /** Closes the browser tab. Changes that were not deployed are lost. */
  async close(): Promise<void> {
    // A request that a test intercepts may still be on its way.
    await this.page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.page.context().close();
  }

  async #waitUntilReady(): Promise<void> {
    await this.page.waitForFunction(
      () => 'RED' in globalThis && RED.nodes.getType('model-processing-download') !== undefined,
    );
    await this.page.locator('.red-ui-tab').first().waitFor();
    await this.page.locator('#red-ui-loading-progress').waitFor({ state: 'hidden' });
  }

  /** Returns the nodes of this package on all tabs, with their status. */
  modelNodes(): Promise<EditorNode[]> {
    return readModelNodes(this.page);
  }

  /** Returns the service nodes. */
  services(): Promise<EditorService[]> {
    return readServices(this.page);
  }

  /** Returns the types of all nodes and config nodes with an invalid setting. */
  invalidNodeTypes(): Promise<string[]> {
    return readInvalidTypes(this.page);
  }

  /** Runs an action of the editor, such as `core:undo`. */
  invoke(action: string): Promise<void> {
    return this.page.evaluate((name) => RED.actions.invoke(name), action);
  }

  /** Adds the nodes of a flow without the import dialog, and shows its tab with `label`. */
  async addFlow(flow: object[], label: string): Promise<void> {
    await importNodes(this.page, flow);
    await this.page.locator('.red-ui-tab-label').getByText(label, { exact: true }).click();
  }

  /** Returns the reasons why each of these nodes is invalid. */
  validationErrors(ids: string[]): Promise<string[][]> {
    return readValidationErrors(this.page, ids);
  }

  /** Returns the text of the tooltip of an element. */
  async readTooltip(target: Locator): Promise<string> {
    await target.hover();
    const tooltip = this.page.locator('.red-ui-popover').last();
    await tooltip.waitFor();
    const text = await tooltip.innerText();
    await this.page.mouse.move(1, 1);
    await tooltip.waitFor({ state: 'detached' });
    return text;
  }

  /**
   * Drags a node from the palette to a position on the canvas, in pixels from its upper left corner. Returns the node
   * id.
   */
  async dragFromPalette(type: string, x: number, y: number): Promise<string> {
    const before = await readNodeIds(this.page);
    const entry = this.page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`);
    await entry.scrollIntoViewIfNeeded();
    const from = await entry.boundingBox();
    const canvas = await this.page.locator('#red-ui-workspace-chart').boundingBox();
    if (!from || !canvas) throw new Error(`No ${type} in the palette`);
    const { mouse } = this.page;
    await mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await mouse.down();
    await mouse.move(canvas.x + x - 20, canvas.y + y - 20, { steps: 5 });
    await mouse.move(canvas.x + x, canvas.y + y, { steps: 3 });
    await mouse.up();
    const dropped = (await readNodeIds(this.page)).find((id) => !before.includes(id));
    if (dropped === undefined) throw new Error(`Could not drag ${type} to the canvas`);
    return dropped;
  }

  /** Opens the dialog of a node. */
  async openDialog(id: string): Promise<Dialog> {
    await this.page.locator(`[id="${id}"]`).dblclick();
    return this.#waitForDialog('#node-dialog-ok');
  }

  /** Opens the dialog of the service from the open dialog of a node. */
  async openService(): Promise<Dialog> {
    const isNew = (await this.page.locator('#node-input-service').inputValue()) === '_ADD_';
    await this.page.locator(`#node-input-btn-service-${isNew ? 'add' : 'edit'}`).click();
    return this.#waitForDialog('#node-config-dialog-ok');
  }

  async #waitForDialog(okButton: string): Promise<Dialog> {
    const panel = this.page.locator('.red-ui-tray', { has: this.page.locator(okButton) });
    // Node-RED fills the form, possibly with credentials from the server, and then slides the panel in.
    await this.page.waitForFunction(
      (element) => element?.style.right === '0px' && element.getAnimations().length === 0,
      await panel.elementHandle(),
    );
    const done = async () => {
      await panel.locator(okButton).click();
      await panel.waitFor({ state: 'detached' });
    };
    return { panel, form: panel.locator('form').first(), done };
  }

  /** Imports a bundled example with the import dialog, and shows its tab. */
  async importExample(name: string): Promise<void> {
    await this.invoke('core:show-examples-import-dialog');
    const dialog = this.page.locator('#red-ui-clipboard-dialog');
    const entry = (text: string) => dialog.getByText(text, { exact: true }).first();
    await entry('@model-processing/node-red').click();
    const ok = this.page.locator('#red-ui-clipboard-dialog-ok');
    // The list slides open, so a click may miss the entry. The button is enabled once an entry is selected.
    while (await ok.isDisabled()) await entry(name).click();
    await ok.click();
    await dialog.waitFor({ state: 'hidden' });
    await this.page.locator('.red-ui-tab-label').getByText(name, { exact: true }).click();
  }

  /** Deploys the flows. */
  async deploy(): Promise<void> {
    await this.page.locator('#red-ui-header-button-deploy').click();
    await this.page.waitForFunction(() => !RED.nodes.dirty());
  }

  /** Presses the button of an inject node. */
  async pressButton(id: string): Promise<void> {
    await this.page.locator(`[id="${id}"] .red-ui-flow-node-button-button`).click();
  }

  /** Shows the flow from its upper left corner, with only the nodes of this package in the palette. */
  async showFlow(width: number, height: number): Promise<void> {
    await this.page.setViewportSize({ width, height });
    await this.page.locator('#red-ui-palette-search input').pressSequentially('model');
    await this.page.locator('.red-ui-palette-node[data-palette-type="inject"]').waitFor({ state: 'hidden' });
    // Node-RED stores whether the sidebar is open, across browser tabs.
    const isSidebarOpen = await this.page.locator('#red-ui-sidebar').isVisible();
    await this.page.evaluate((isOpen) => {
      if (isOpen) RED.actions.invoke('core:toggle-sidebar');
      const chart = document.querySelector('#red-ui-workspace-chart');
      if (chart) Object.assign(chart, { scrollTop: 0, scrollLeft: 0 });
    }, isSidebarOpen);
    // Moves the pointer away from elements with a hover effect, and waits until the sidebar has closed.
    await this.page.mouse.move(width - 40, height - 60);
    await this.page.waitForTimeout(500);
  }

  /** Saves a screenshot of the page or of an element, for manual review. Returns its path. */
  async screenshot(name: string, part: Page | Locator = this.page): Promise<string> {
    await mkdir(SCREENSHOTS, { recursive: true });
    const file = path.join(SCREENSHOTS, `${name}.png`);
    await part.screenshot({ path: file });
    return file;
  }

  /** Saves a screenshot of the page, or of the settings in a dialog, to the documentation if UPDATE_PICTURES is set. */
  async updateDocsImage(name: string, form?: Locator): Promise<void> {
    if (!process.env.UPDATE_PICTURES) return;
    const clip = form && (await computeSettingsBounds(form));
    await this.page.screenshot({ path: path.join('docs/pictures', `${name}.png`), ...(clip ? { clip } : {}) });
  }
}

/** Computes the bounds of the settings of a form on the page, with a margin. */
function computeSettingsBounds(form: Locator) {
  return form.evaluate((element) => {
    const boxes = [...element.querySelectorAll('*')].map((part) => part.getBoundingClientRect());
    const visible = boxes.filter(({ width, height }) => width > 0 && height > 0);
    const { left, top, width } = element.getBoundingClientRect();
    const bottom = Math.max(...visible.map((box) => box.bottom));
    return { x: left - 10, y: top - 10, width: width + 20, height: bottom - top + 20 };
  });
}
