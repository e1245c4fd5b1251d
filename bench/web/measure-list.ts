import type { BrowserContext, Page } from 'playwright-core';
import { serveList } from '../../test/web/support/serve-list.js';
import { roundTo } from '../service/service-process.js';

const ENTRIES = 1000;

/** Returns the longest task while the whole list is scrolled in steps, in ms. */
function scrollList(page: Page): Promise<number> {
  return page.evaluate(async (entries) => {
    let longestMs = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longestMs = Math.max(longestMs, duration);
    });
    observer.observe({ type: 'longtask' });
    const scrolled = [...document.querySelectorAll('.browse, .list, .rows'), document.documentElement];
    for (let step = 0; document.querySelectorAll('.rows > li').length < entries && step < 2000; step++) {
      for (const element of scrolled) element.scrollTop += 400;
      await new Promise((resolve) => {
        requestAnimationFrame(resolve);
      });
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 1000);
    });
    observer.disconnect();
    return longestMs;
  }, ENTRIES);
}

async function openList(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await serveList(page, ENTRIES);
  await page.goto(url);
  await page.locator('.rows .badge').first().waitFor();
  return page;
}

interface TraceEvent {
  name: string;
  /** The time of the processor, in µs. */
  tdur?: number;
  pid: number;
  tid: number;
  args: { name?: string };
}

/** Returns the longest time of the processor that a task of the main thread of a page takes, in ms. */
async function traceTasks(page: Page, work: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error('The browser was closed.');
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const isMain = ({ pid, tid }: TraceEvent): boolean =>
    threads.some((thread) => thread.pid === pid && thread.tid === tid);
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && isMain(event));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

/**
 * Measures the longest task while a list of 1,000 models is scrolled; 0 if none takes 50 ms. `longestTaskCpuMs`: the time
 * of the processor of the longest one, in a second run with tracing, which other programs do not lengthen.
 */
export async function measureList(context: BrowserContext, url: string) {
  const page = await openList(context, url);
  const longestTaskMs = roundTo(await scrollList(page));
  const rows = await page.locator('.rows > li').count();
  await page.close();
  const traced = await openList(context, url);
  const longestTaskCpuMs = roundTo(await traceTasks(traced, () => scrollList(traced)));
  await traced.close();
  return { entries: ENTRIES, rows, longestTaskMs, longestTaskCpuMs };
}
