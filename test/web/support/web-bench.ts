import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import should from 'should';
import type { RunningService, ServeOptions } from '../../../src/service/serve.js';
import { findFreePort } from '../../helpers/node-red-process.js';
import { createFolder, removeFolder } from '../../service/support/data-folder.js';
import { KERNEL_PROGRAM, startService } from '../../service/support/running.js';
import { addUserWithPassword } from '../../service/support/users.js';
import { startViewerBrowser } from '../../viewer/support/viewer-browser.js';
import { ANN, WebPage } from './web-page.js';

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
    // Not one of those for outgoing connections, which may take it before a restart.
    const port = await findFreePort();
    bench.service = await startService(bench.folder, {
      ...{ hasWebPage: true, port, kernelProgram: KERNEL_PROGRAM },
      ...options,
      ...more,
    });
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
