import type { Page } from 'playwright-core';

/** What a page holds. */
export interface HeldResources {
  /** WebGL contexts that were not lost. */
  contexts: number;
  /** Blob URLs that were not revoked. */
  urls: number;
}

/** Counts the WebGL contexts and blob URLs that a page creates from now on. Returns a function that reads the counts. */
export async function countResources(page: Page): Promise<() => Promise<HeldResources>> {
  await page.evaluate(() => {
    const counter = Object.assign(globalThis, { contexts: new Set<WebGL2RenderingContext>(), urls: 0 });
    const { getContext } = HTMLCanvasElement.prototype;
    Object.assign(HTMLCanvasElement.prototype, {
      getContext(this: HTMLCanvasElement, ...options: [string]) {
        const context = getContext.apply(this, options);
        if (context instanceof WebGL2RenderingContext) counter.contexts.add(context);
        return context;
      },
    });
    const { createObjectURL, revokeObjectURL } = URL;
    Object.assign(URL, {
      createObjectURL(blob: Blob) {
        counter.urls += 1;
        return createObjectURL(blob);
      },
      revokeObjectURL(url: string) {
        counter.urls -= 1;
        revokeObjectURL(url);
      },
    });
  });
  return () =>
    page.evaluate(() => {
      const { contexts, urls } = Object(globalThis);
      const open = [...contexts].filter((context: WebGL2RenderingContext) => !context.isContextLost());
      return { contexts: open.length, urls };
    });
}
