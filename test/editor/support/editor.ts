import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';

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

/** Where the pictures of a run go; git ignores it. */
const PICTURES = 'test/editor/pictures';

// What the page's scripts know; the functions given to page.evaluate() run there.
declare const RED: {
  actions: { invoke(action: string): void };
  nodes: {
    eachNode(visit: (node: EditorNode) => void): void;
    getType(type: string): unknown;
    dirty(): boolean;
  };
  settings: { version: string; setLocal(key: string, value: string): void };
};

/** A node as the editor has it. */
export interface EditorNode {
  id: string;
  type: string;
  status?: { fill?: string; shape?: string; text?: string };
  /** False where a setting is not what it may be; such a node has a triangle. */
  valid?: boolean;
}

/** An open dialog of a node or of a service, and its button *Done*. */
export interface Dialog {
  panel: Locator;
  form: Locator;
  done: () => Promise<void>;
}

/** Starts the browser in which the editor is looked at. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** Node-RED's editor in a tab of the browser, worked as a person does: by its mouse and its keys. */
export class Editor {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Opens the editor at `url`; answers when its palette is there. */
  static async open(browser: Browser, url: string, options: BrowserContextOptions & { theme?: 'dark' } = {}) {
    const { theme, ...context } = options;
    const page = await browser.newPage({ viewport: { width: 1240, height: 640 }, ...context });
    page.setDefaultTimeout(15_000);
    await page.goto(url);
    const editor = new Editor(page);
    await editor.#isReady();
    if (theme) {
      await page.evaluate((name) => RED.settings.setLocal('view-dark-theme', name), theme);
      await page.reload();
      await editor.#isReady();
    }
    // Notifications lie over the buttons of a dialog for some seconds.
    await page.addStyleTag({ content: '#red-ui-notifications { display: none }' });
    return editor;
  }

  /** Closes the tab of the browser; what was not deployed is gone. */
  async close(): Promise<void> {
    await this.page.context().close();
  }

  async #isReady(): Promise<void> {
    await this.page.waitForFunction(
      () => 'RED' in globalThis && RED.nodes.getType('model-processing-download') !== undefined,
    );
    await this.page.locator('.red-ui-tab').first().waitFor();
    await this.page.locator('#red-ui-loading-progress').waitFor({ state: 'hidden' });
  }

  /** The nodes of ours on all tabs, with what their badges show. */
  modelNodes(): Promise<EditorNode[]> {
    return this.page.evaluate(() => {
      const match: EditorNode[] = [];
      RED.nodes.eachNode(({ id, type, status }) => {
        if (type.startsWith('model-processing-')) match.push({ id, type, ...(status ? { status } : {}) });
      });
      return match;
    });
  }

  /** The types of all nodes that have a triangle, for a setting that is not what it may be. */
  wrongNodes(): Promise<string[]> {
    return this.page.evaluate(() => {
      const wrong: string[] = [];
      RED.nodes.eachNode(({ type, valid }) => {
        if (valid === false) wrong.push(type);
      });
      return wrong;
    });
  }

  /** Drags a node from the palette to a place on the canvas, in pixels from its upper left corner; answers its id. */
  async dragFromPalette(type: string, x: number, y: number): Promise<string> {
    const before = (await this.modelNodes()).map(({ id }) => id);
    const entry = this.page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`);
    await entry.scrollIntoViewIfNeeded();
    const from = await entry.boundingBox();
    const canvas = await this.page.locator('#red-ui-workspace-chart').boundingBox();
    if (!from || !canvas) throw new Error(`${type} is not in the palette`);
    const { mouse } = this.page;
    await mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await mouse.down();
    await mouse.move(canvas.x + x - 20, canvas.y + y - 20, { steps: 5 });
    await mouse.move(canvas.x + x, canvas.y + y, { steps: 3 });
    await mouse.up();
    const dropped = (await this.modelNodes()).find(({ id }) => !before.includes(id));
    if (!dropped) throw new Error(`${type} did not come onto the canvas`);
    return dropped.id;
  }

  /** Opens the dialog of a node. */
  async openDialog(id: string): Promise<Dialog> {
    await this.page.locator(`[id="${id}"]`).dblclick();
    return this.#opened('#node-dialog-ok');
  }

  /** Opens, from the dialog of a node, that of its service. */
  async openService(): Promise<Dialog> {
    const isNew = (await this.page.locator('#node-input-service').inputValue()) === '_ADD_';
    await this.page.locator(`#node-input-btn-service-${isNew ? 'add' : 'edit'}`).click();
    return this.#opened('#node-config-dialog-ok');
  }

  async #opened(okButton: string): Promise<Dialog> {
    const panel = this.page.locator('.red-ui-tray', { has: this.page.locator(okButton) });
    await panel.waitFor();
    // Panels slide in, and forms are filled while they do.
    await this.page.waitForTimeout(350);
    const done = async () => {
      await panel.locator(okButton).click();
      await panel.waitFor({ state: 'detached' });
    };
    return { panel, form: panel.locator('form').first(), done };
  }

  /** Imports a bundled example by the menu's dialog, and shows its tab. */
  async importExample(name: string): Promise<void> {
    await this.page.keyboard.press('Control+i');
    const dialog = this.page.locator('#red-ui-clipboard-dialog');
    await dialog.waitFor();
    await this.page.locator('#red-ui-clipboard-dialog-import-tab-examples, a:has-text("Examples")').first().click();
    const entry = (text: string) => dialog.getByText(text, { exact: true }).first();
    await entry('@model-processing/node-red').click();
    await entry(name).click();
    await this.page.locator('#red-ui-clipboard-dialog-ok').click();
    await dialog.waitFor({ state: 'hidden' });
    await this.page.locator('.red-ui-tab-label').getByText(name, { exact: true }).click();
  }

  async deploy(): Promise<void> {
    await this.page.locator('#red-ui-header-button-deploy').click();
    await this.page.waitForFunction(() => !RED.nodes.dirty());
  }

  /** Presses the button of an inject node. */
  async press(id: string): Promise<void> {
    await this.page.locator(`[id="${id}"] .red-ui-flow-node-button-button`).click();
  }

  /** Shows the flow from its upper left corner, beside our nodes in the palette. */
  async showFlow(width: number, height: number): Promise<void> {
    await this.page.setViewportSize({ width, height });
    await this.page.locator('#red-ui-palette-search input').pressSequentially('model');
    await this.page.locator('.red-ui-palette-node[data-palette-type="inject"]').waitFor({ state: 'hidden' });
    // Node-RED keeps whether its side panel is open, from one tab of the browser to the next.
    const isPanelOpen = await this.page.locator('#red-ui-sidebar').isVisible();
    await this.page.evaluate((isOpen) => {
      if (isOpen) RED.actions.invoke('core:toggle-sidebar');
      const chart = document.querySelector('#red-ui-workspace-chart');
      if (chart) Object.assign(chart, { scrollTop: 0, scrollLeft: 0 });
    }, isPanelOpen);
    // Off what it would light up; and the panel slides out.
    await this.page.mouse.move(width - 40, height - 60);
    await this.page.waitForTimeout(500);
  }

  /** Takes a picture of the page, or of a part of it, for people to look at; answers its path. */
  async picture(name: string, part: Page | Locator = this.page): Promise<string> {
    await mkdir(PICTURES, { recursive: true });
    const file = path.join(PICTURES, `${name}.png`);
    await part.screenshot({ path: file });
    return file;
  }

  /** Renews a picture of the documentation, of the page or of the settings in a dialog, if UPDATE_PICTURES is set. */
  async documentPicture(name: string, form?: Locator): Promise<void> {
    if (!process.env.UPDATE_PICTURES) return;
    const clip = form && (await settingsBox(form));
    await this.page.screenshot({ path: path.join('docs/pictures', `${name}.png`), ...(clip ? { clip } : {}) });
  }
}

/** Where the settings of a form are on the page, with a margin. */
function settingsBox(form: Locator) {
  return form.evaluate((element) => {
    const boxes = [...element.querySelectorAll('*')].map((part) => part.getBoundingClientRect());
    const shown = boxes.filter(({ width, height }) => width > 0 && height > 0);
    const { left, top, width } = element.getBoundingClientRect();
    const bottom = Math.max(...shown.map((box) => box.bottom));
    return { x: left - 10, y: top - 10, width: width + 20, height: bottom - top + 20 };
  });
}
