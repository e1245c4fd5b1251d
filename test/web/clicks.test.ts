import should from 'should';
import { holdRequests } from '../helpers/hold-requests.js';
import { CUBE } from '../service/support/models.js';
import { serveList } from './support/serve-list.js';
import { registerWebBench } from './support/web-bench.js';

describe('What is clicked on the page', () => {
  const bench = registerWebBench({}, { hasWebgl: false }); // nothing here is drawn

  it('is opened, also if it changes while the button of the mouse is pressed', async () => {
    const web = await bench.open();
    const { page } = web;
    const { operations } = await serveList(page, 2);
    for (const operation of operations) Object.assign(operation, { isCompleted: false, resultId: undefined });
    await web.signIn();
    await web.waitForRow('model 1.stl', 'Waiting in the queue');
    await web.row('model 1.stl').locator('a').hover();
    await page.mouse.down();
    for (const operation of operations) Object.assign(operation, { startedAt: new Date().toISOString() });
    await web.waitForRow('model 0.stl', 'Reading'); // the page shows all changes at once
    await page.mouse.up();
    await page.locator('h1', { hasText: 'model 1.stl' }).waitFor();
    await web.waitForRow('model 1.stl', 'Reading');
  });

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
