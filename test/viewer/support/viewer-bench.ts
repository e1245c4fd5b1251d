import type { Browser } from 'playwright-core';
import { startViewerBrowser } from './viewer-browser.js';
import { type OpenOptions, ViewerPage, ViewerSite } from './viewer-page.js';

/** A browser, a site with previews, and the viewer of the current test. */
export interface ViewerBench {
  site: ViewerSite;
  browser: Browser;
  viewer: ViewerPage;
  /** Opens a viewer in a new page, and closes that before. */
  open(options?: OpenOptions): Promise<ViewerPage>;
}

/**
 * Registers hooks that start a browser and a site with previews, and that close the viewer after each test. A test
 * fails if its page had an error, or violated its policy. `createPreviews` returns the previews by name.
 */
export function registerViewerBench(createPreviews: () => Promise<Record<string, Uint8Array>>): ViewerBench {
  let viewer: ViewerPage | undefined;
  const bench = {
    async open(options: OpenOptions = {}): Promise<ViewerPage> {
      await viewer?.close();
      viewer = await ViewerPage.open(bench.browser, bench.site, options);
      bench.viewer = viewer;
      return viewer;
    },
  } as ViewerBench;

  before(async () => {
    bench.site = await ViewerSite.start();
    bench.browser = await startViewerBrowser();
    for (const [name, preview] of Object.entries(await createPreviews())) bench.site.add(name, preview);
  });

  afterEach(async () => {
    viewer?.problems.should.be.empty();
    await viewer?.close();
    viewer = undefined;
  });

  after(async () => {
    await bench.browser?.close();
    await bench.site?.close();
  });
  return bench;
}
