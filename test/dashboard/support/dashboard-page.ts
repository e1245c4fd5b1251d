import type { Browser, Locator, Page } from 'playwright-core';

/** The page of the dashboard example, in a browser window of its own. */
export class DashboardPage {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens the page at `url`. Resolves when it is connected to Node-RED. */
  static async open(browser: Browser, url: string): Promise<DashboardPage> {
    const page = await browser.newPage({ viewport: { width: 1100, height: 820 } });
    page.setDefaultTimeout(120_000);
    await page.goto(url);
    await page.getByText('Choose a model, then press Upload.').waitFor();
    return new DashboardPage(page);
  }

  get uploadButton(): Locator {
    return this.page.getByRole('button', { name: 'Upload', exact: true });
  }

  get viewer(): Locator {
    return this.page.locator('.model-viewer');
  }

  get picture(): Locator {
    return this.page.locator('.model-picture');
  }

  async choose(file: string): Promise<void> {
    await this.page.locator('input[type=file]').setInputFiles(file);
  }

  async upload(file: string): Promise<void> {
    await this.choose(file);
    await this.uploadButton.click();
  }

  /** Sends a message from the file input, as a program in the browser can: with any content. Buffers are sent as bytes. */
  async send(message: object): Promise<void> {
    const bytes = 'payload' in message && Buffer.isBuffer(message.payload) ? [...message.payload] : undefined;
    await this.page.evaluate(
      ({ values, content }) => {
        const { __vue_app__: app } = Object(document.querySelector('#app'));
        const { $socket } = app._context.provides;
        const { $store } = app.config.globalProperties;
        const widgets: { id: string; type: string }[] = Object.values($store.state.ui.widgets);
        const input = widgets.find(({ type }) => type === 'ui-file-input');
        $socket.emit('widget-action', input?.id, content ? { ...values, payload: new Uint8Array(content) } : values);
      },
      { values: bytes ? { ...message, payload: undefined } : message, content: bytes },
    );
  }

  /** Resolves when the picture of the viewer has all details. */
  waitForView(): Promise<void> {
    return this.page.locator('canvas[data-detail=full]').waitFor();
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
