import type { Browser, BrowserContext, Page } from 'playwright-core';
import { readCredentials } from '../../test/service/support/running.js';
import { type ServiceProcess, startService } from '../service/service-process.js';

/** A service in a process of its own, and a browser in which its owner has signed in. */
export interface SignedIn {
  service: ServiceProcess;
  context: BrowserContext;
  /** Opens the page. Resolves when its list and its pictures are loaded. */
  open(): Promise<Page>;
}

/** Starts a service, and signs its owner in. */
export async function startSignedIn(browser: Browser, folder: string): Promise<SignedIn> {
  const service = await startService(folder);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const { username, password } = await readCredentials(folder);
  const page = await context.newPage();
  await page.goto(service.baseUrl);
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.locator('form button[type=submit]').click();
  await page.locator('[data-key=choose-files]').waitFor();
  await page.close();
  const open = async (): Promise<Page> => {
    const opened = await context.newPage();
    await opened.goto(service.baseUrl);
    await opened.locator('[data-key=choose-files]').waitFor();
    await opened.waitForLoadState('networkidle');
    return opened;
  };
  return { service, context, open };
}
