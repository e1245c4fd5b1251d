import should from 'should';
import { createZip } from '../mesh/formats/zip/zip-bytes.js';
import { CUBE, OPEN_CUBE } from '../service/support/models.js';
import { registerWebBench } from './support/web-bench.js';

describe('The page with a ZIP of several models', () => {
  const bench = registerWebBench({}, { hasWebgl: false }); // nothing here is drawn
  const KIT = createZip({
    'files/lid.stl': CUBE,
    'files/base.stl': OPEN_CUBE,
    'README.txt': 'text',
    '__MACOSX/files/._lid.stl': 'x',
  });

  it('reads each model, as an entry of its own in the list', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose({ name: 'kit.zip', content: KIT });
    await web.waitForRow('lid.stl', 'Ready to print');
    await web.waitForRow('base.stl', 'Needs repair');
    await web.waitForRow('kit.zip', '2 models');
    await web.row('base.stl').getByText('kit.zip').waitFor();
    await page.getByText('This ZIP contains 2 models.').waitFor();
    should(await page.getByRole('button', { name: 'Read each model' }).count()).equal(0);
    await page.getByRole('link', { name: 'files/base.stl' }).click();
    await page.getByRole('heading', { name: 'base.stl' }).waitFor();
    await web.waitForVerdict('Needs repair');
    await page.getByRole('button', { name: 'Start' }).click();
    await web.waitForRow('base.stl', 'Ready to print');
    await page.reload();
    await web.waitForRow('base.stl', 'Ready to print');
    await web.row('kit.zip').getByText('2 models').waitFor();
  });

  it('reads a model again in another unit, without another entry in the list', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose({ name: 'kit.zip', content: KIT });
    await web.waitForRow('lid.stl', 'Ready to print');
    await page.getByRole('link', { name: 'files/lid.stl' }).click();
    await page.getByText('Wrong size? Choose the unit of the file').click();
    await page.locator('.import-form select').selectOption('inch');
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByText('254').first().waitFor();
    should(await page.locator('.rows > li').count()).equal(3);
  });

  it('offers to read the models of an archive that was uploaded elsewhere', async () => {
    const web = await bench.open();
    const other = await bench.openTab(web);
    await web.signIn();
    // The service refuses the imports of the models, so that the page that uploads does not read them.
    await web.page.route('**/web-api/operation/import', async (route) => {
      const isEntry = route.request().postData()?.includes('entry') ?? false;
      await (isEntry
        ? route.fulfill({ status: 400, json: { errors: [{ code: 40001, message: 'no' }] } })
        : route.continue());
    });
    await web.choose({ name: 'kit.zip', content: KIT });
    await web.waitForRow('kit.zip', '2 models');
    await other.page.reload();
    await other.row('kit.zip').click();
    await other.page.getByRole('button', { name: 'Read each model' }).waitFor();
    await other.page.getByRole('button', { name: 'Read each model' }).click();
    await other.waitForRow('lid.stl', 'Ready to print');
    await other.waitForRow('base.stl', 'Needs repair');
  });
});
