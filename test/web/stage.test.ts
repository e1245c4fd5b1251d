import should from 'should';
import { holdRequests } from '../helpers/hold-requests.js';
import { CUBE } from '../service/support/models.js';
import { registerWebBench } from './support/web-bench.js';

describe('The 3D view of the page', () => {
  const bench = registerWebBench();

  it('never shows a model below the name of another one', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose({ name: 'first.stl', content: CUBE }, { name: 'second.stl', content: CUBE });
    const show = async (name: string): Promise<void> => {
      await web.row(name).locator('a').click();
      await page.locator('h1', { hasText: name }).waitFor();
    };
    for (const name of ['second.stl', 'first.stl']) {
      await web.waitForRow(name, 'Ready to print');
      await show(name);
      await page.locator('canvas[data-detail=full]').waitFor();
    }
    await page.reload(); // the preview of the second one exists, and is to be loaded again
    await page.locator('canvas[data-detail=full]').waitFor();
    const release = await holdRequests(page, '**/web-api/operation/file/*');
    await show('second.stl');
    await page.getByText('Preparing the 3D view').waitFor();
    should(await page.locator('.viewer-host').isVisible()).be.false();
    release();
    await page.locator('.viewer-host').waitFor();
    should(await page.getByText('Preparing the 3D view').isVisible()).be.false();
  });
});
