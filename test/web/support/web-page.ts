import type { BrowserContext, Locator, Page } from 'playwright-core';

/** The user of the tests. */
export const ANN = { username: 'ann', password: 'password of ann' };

/** A file to choose. */
export interface TestFile {
  name: string;
  content: string | Uint8Array;
}

/** A page of the service, in a browser of one person. */
export class WebPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page, violations of its policy, and requests to other origins. */
  readonly problems: string[] = [];

  constructor(page: Page, origin: string) {
    this.page = page;
    this.context = page.context();
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) this.problems.push(message.text());
    });
    page.on('pageerror', (error) => this.problems.push(error.message));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith('blob:')) this.problems.push(`request to ${url}`);
    });
  }

  async signIn({ username, password } = ANN): Promise<void> {
    await this.page.locator('input[name=username]').fill(username);
    await this.page.locator('input[name=password]').fill(password);
    await this.page.locator('form button[type=submit]').click();
    await this.page.locator('[data-key=choose-files]').waitFor();
  }

  /** Chooses files as in the dialog of the browser. */
  async choose(...files: TestFile[]): Promise<void> {
    const chosen = files.map(({ name, content }) => ({ name, mimeType: '', buffer: Buffer.from(content) }));
    await this.page.locator('input[type=file]').first().setInputFiles(chosen);
  }

  /** The entry of a model in the list. */
  row(filename: string): Locator {
    return this.page.locator('.rows > li', { hasText: filename });
  }

  /** Resolves when an entry of the list shows a text. */
  async waitForRow(filename: string, text: string): Promise<void> {
    await this.row(filename).filter({ hasText: text }).first().waitFor();
  }

  /** Resolves when the verdict on the model that is shown contains a text. */
  async waitForVerdict(text: string): Promise<void> {
    await this.page.locator('.verdict', { hasText: text }).waitFor();
  }
}
