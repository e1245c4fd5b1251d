import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import should from 'should';
import type { RunningService, ServeOptions } from '../../../src/service/serve.js';
import { createFolder, removeFolder } from '../../service/support/data-folder.js';
import { startService } from '../../service/support/running.js';
import { addUserWithPassword } from '../../service/support/users.js';
import { startViewerBrowser } from '../../viewer/support/viewer-browser.js';

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

/** A service with a page, and a browser. */
export interface WebBench {
  folder: string;
  service: RunningService;
  /** Opens the page in a browser context of its own, for example that of another person. */
  open(options?: BrowserContextOptions, path?: string): Promise<WebPage>;
  /** Opens another tab of the same person. */
  openTab(page: WebPage): Promise<WebPage>;
  /** Starts the service again, at the same address. */
  restart(options?: Partial<ServeOptions>): Promise<void>;
}

/**
 * Registers hooks that start a service with the user `ANN` for each test, and a browser for all of them. A test fails if a
 * page had an error, violated its policy, or sent a request to another origin.
 */
export function registerWebBench(options: Partial<ServeOptions> = {}, { hasWebgl = true } = {}): WebBench {
  let browser: Browser;
  let pages: WebPage[] = [];
  const start = async (more: Partial<ServeOptions> = {}): Promise<void> => {
    bench.service = await startService(bench.folder, { hasWebPage: true, ...options, ...more });
  };
  const add = (page: Page): WebPage => {
    const opened = new WebPage(page, bench.service.baseUrl);
    page.setDefaultTimeout(120_000);
    pages.push(opened);
    return opened;
  };
  const bench = {
    async open(contextOptions: BrowserContextOptions = {}, path = '/') {
      const viewport = { width: 1280, height: 800 };
      const context = await browser.newContext({ viewport, locale: 'en-US', ...contextOptions });
      const opened = add(await context.newPage());
      await opened.page.goto(bench.service.baseUrl + path);
      return opened;
    },
    async openTab({ context }: WebPage) {
      const opened = add(await context.newPage());
      await opened.page.goto(bench.service.baseUrl);
      return opened;
    },
    async restart(more: Partial<ServeOptions> = {}) {
      const port = Number(new URL(bench.service.baseUrl).port);
      await start({ port, ...more });
    },
  } as WebBench;

  before(async () => {
    browser = await startViewerBrowser({ hasWebgl });
  });

  beforeEach(async () => {
    bench.folder = await createFolder();
    await addUserWithPassword(bench.folder, ANN.username, ANN.password);
    await start();
  });

  afterEach(async () => {
    const problems = pages.flatMap((page) => page.problems);
    for (const { context } of pages) await context.close();
    pages = [];
    await bench.service.close();
    await removeFolder(bench.folder);
    should(problems).deepEqual([]);
  });

  after(() => browser.close());
  return bench;
}
