import should from 'should';
import { CUBE } from '../service/support/models.js';
import { registerWebBench } from './support/web-bench.js';

describe('The 3D view of the page', () => {
  const bench = registerWebBench();

  it('never shows a model below the name of another one', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose({ name: 'first.stl', content: CUBE });
    await page.locator('canvas[data-detail=full]').waitFor();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/web-api/operation/preview', async (route) => {
      await released;
      await route.continue();
    });
    await web.choose({ name: 'second.stl', content: CUBE });
    await page.locator('h1', { hasText: 'second.stl' }).waitFor();
    await web.waitForVerdict('Ready to print');
    await page.getByText('Preparing the 3D view').waitFor();
    should(await page.locator('.viewer-host').isVisible()).be.false();
    release();
    await page.locator('.viewer-host').waitFor();
    should(await page.getByText('Preparing the 3D view').isVisible()).be.false();
  });
});
