import should from 'should';
import { holdRequests } from '../helpers/hold-requests.js';
import { CUBE } from '../service/support/models.js';
import { registerWebBench } from './support/web-bench.js';

describe('What is clicked on the page', () => {
  const bench = registerWebBench({}, { hasWebgl: false }); // nothing here is drawn

  it('stays open if another model was being deleted', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose({ name: 'broken.stl', content: 'no triangles' }, { name: 'cube.stl', content: CUBE });
    await web.waitForRow('broken.stl', 'Reading failed');
    await web.waitForRow('cube.stl', 'Ready to print');
    const release = await holdRequests(page, '**/web-api/operation/file/*', 'DELETE');
    await web.row('broken.stl').locator('a').click();
    await page.getByRole('button', { name: 'Delete' }).click();
    const deleting = page.waitForRequest((request) => request.method() === 'DELETE');
    await page.locator('dialog').getByRole('button', { name: 'Delete' }).click();
    await deleting;
    await web.row('cube.stl').locator('a').click();
    await web.waitForVerdict('Ready to print');
    release();
    await web.waitForRow('broken.stl', 'Expired or deleted');
    should(await page.evaluate(() => location.hash)).match(/^#file\//);
    await web.waitForVerdict('Ready to print');
  });
});
