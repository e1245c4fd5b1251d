import type { Browser } from 'playwright-core';

/** Returns the time from the last byte of the page and its files until the field for the user name has the focus, in ms. */
export async function measureInteractive(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage();
  await page.addInitScript(() => {
    addEventListener('focusin', () => performance.mark('usable'), { once: true });
  });
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName('usable').length > 0);
  const timeMs = await page.evaluate(() => {
    const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const lastByte = files
      .filter(({ name }) => /\/(app\.js|app\.css)?$/.test(name))
      .map((file) => file.toJSON().responseEnd);
    return (performance.getEntriesByName('usable')[0]?.startTime ?? Infinity) - Math.max(...lastByte);
  });
  await page.close();
  return timeMs;
}
