import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import should from 'should';

interface Audit {
  run(part: string, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** Asserts that axe-core finds no violation of WCAG 2.2 AA in a page, or in a part of it, also in shadow roots. */
export async function assertAccessible(page: Page, part = 'html'): Promise<void> {
  const source = await readFile('node_modules/axe-core/axe.min.js', 'utf8');
  await page.evaluate(source);
  const violations = await page.evaluate(async (selector) => {
    const { axe } = globalThis as unknown as { axe: Audit };
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const result = await axe.run(selector, { runOnly: { type: 'tag', values } });
    return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, part);
  should(violations).deepEqual([]);
}
