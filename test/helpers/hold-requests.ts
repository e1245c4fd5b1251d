import type { Page, Route } from 'playwright-core';

/**
 * Holds the requests of a page to these URLs, of one method if it is given. Resolves with a function that lets them, and
 * all later ones, continue.
 */
export async function holdRequests(page: Page, url: string | RegExp, method?: string): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route: Route) => {
    if (method === undefined || route.request().method() === method) await released;
    await route.continue();
  });
  return release;
}
