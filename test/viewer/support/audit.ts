import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import should from 'should';

interface Audit {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** Asserts that axe-core finds no violation of WCAG 2.2 AA in a page, also in shadow roots. */
export async function assertAccessible(page: Page): Promise<void> {
  const source = await readFile('node_modules/axe-core/axe.min.js', 'utf8');
  await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Audit };
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const result = await axe.run({ runOnly: { type: 'tag', values } });
    return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
  should(violations).deepEqual([]);
}
