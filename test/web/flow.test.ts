import type { Page } from 'playwright-core';
import should from 'should';
import { OPEN_CUBE } from '../service/support/models.js';
import { countTriangles, readDownload } from './support/read-download.js';
import { registerWebBench } from './support/web-bench.js';
import { ANN } from './support/web-page.js';

const FILE = { name: 'cube.stl', content: OPEN_CUBE };

describe('The page, from the sign-in to the downloaded file', () => {
  const bench = registerWebBench();

  it('repairs a model by mouse', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose(FILE);
    await web.waitForVerdict('Needs repair');
    await page.locator('canvas[data-detail=full]').waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await web.waitForVerdict('Ready to print');
    await page.locator('.viewer-host').getByRole('button', { name: 'Split' }).waitFor();
    const downloading = page.waitForEvent('download');
    await page.locator('[data-action=export]').click();
    const download = await downloading;
    should(download.suggestedFilename()).equal('cube.stl');
    countTriangles(await readDownload(download)).should.be.aboveOrEqual(12);
    await web.waitForRow('cube.stl', 'Ready to print');
  });

  /** Presses Tab until an element has the focus. */
  const tabTo = async (page: Page, selector: string): Promise<void> => {
    for (let count = 0; count < 200; count++) {
      await page.keyboard.press('Tab');
      const isFocused = await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector);
      if (isFocused) return;
    }
    throw new Error(`${selector} cannot be reached by Tab.`);
  };

  it('repairs a model by keyboard alone', async () => {
    const web = await bench.open();
    const { page } = web;
    // From the beginning: the browser may otherwise show its own dialog before it is told not to.
    page.on(
      'filechooser',
      (chooser) =>
        void chooser
          .setFiles({ name: FILE.name, mimeType: '', buffer: Buffer.from(FILE.content) })
          .catch(() => undefined),
    );
    await page.locator('input[name=username]:focus').waitFor();
    await page.keyboard.type(ANN.username);
    await tabTo(page, 'input[name=password]');
    await page.keyboard.type(ANN.password);
    await page.keyboard.press('Enter');
    await page.locator('[data-key=choose-files]').waitFor();
    await tabTo(page, '[data-key=choose-files]');
    await page.keyboard.press('Enter');
    await web.waitForVerdict('Needs repair');
    await tabTo(page, '[data-action=repair]');
    await page.keyboard.press('Enter');
    await web.waitForVerdict('Ready to print');
    await tabTo(page, 'input[name=action]');
    await page.keyboard.press('ArrowRight'); // to Scale
    await page.locator('[data-action=scale]').waitFor();
    await page.keyboard.press('ArrowLeft');
    await tabTo(page, 'select[name=exportToFormat]');
    await page.keyboard.type('3mf');
    await tabTo(page, '[data-action=export]');
    const downloading = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    const download = await downloading;
    should(download.suggestedFilename()).equal('cube.3mf');
    (await readDownload(download)).subarray(0, 2).toString().should.equal('PK');
  });

  it('repairs a model on a touch screen of 390 px', async () => {
    const web = await bench.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const { page } = web;
    await web.signIn();
    await web.choose(FILE, { name: 'other.stl', content: OPEN_CUBE });
    await web.row('cube.stl').locator('a').tap();
    await web.waitForVerdict('Needs repair');
    await page.locator('[data-action=repair]').tap();
    await web.waitForVerdict('Ready to print');
    const downloading = page.waitForEvent('download');
    await page.locator('[data-action=export]').tap();
    countTriangles(await readDownload(await downloading)).should.be.aboveOrEqual(12);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    should(width).be.belowOrEqual(390);
    await page.getByRole('link', { name: 'All models' }).tap();
    await web.row('other.stl').waitFor();
  });

  it('keeps everything when it is loaded again', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose(FILE);
    await web.waitForVerdict('Needs repair');
    await page.locator('[data-action=repair]').click();
    await web.waitForVerdict('Ready to print');
    await page.reload();
    await web.waitForVerdict('Ready to print');
    await page.locator('.history li').nth(1).getByRole('button', { name: 'Show' }).click();
    await web.waitForVerdict('Needs repair');
  });

  it('downloads the HTML report of a repair, with the models before and after', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose(FILE);
    await web.waitForVerdict('Needs repair');
    await page.locator('[data-key=report]').waitFor();
    await page.locator('[data-action=repair]').click();
    await web.waitForVerdict('Ready to print');
    await page.locator('[data-key=report]').waitFor();
    const downloading = page.waitForEvent('download');
    await page.locator('[data-key=report]').click();
    const download = await downloading;
    should(download.suggestedFilename()).equal('cube-report.html');
    const html = (await readDownload(download)).toString();
    html.should
      .match(/id="preview-before"/)
      .and.match(/id="preview-after"/)
      .and.match(/<h1>cube.stl<\/h1>/);
  });

  it('accepts files that are dropped anywhere', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.page.evaluate((text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], 'dropped.stl'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, OPEN_CUBE);
    await web.waitForVerdict('Needs repair');
  });

  it('reads a file again in another unit', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    let showPreview = (): void => undefined;
    const isUnitChosen = new Promise<void>((resolve) => (showPreview = resolve));
    await page.route('**/web-api/operation/preview', async (route) => {
      await isUnitChosen;
      await route.continue();
    });
    await web.choose(FILE);
    await page.locator('.facts', { hasText: '10 × 10 × 10 mm' }).waitFor();
    await page.getByText('Wrong size?').click();
    await page.locator('.import-form select').selectOption('cm');
    showPreview();
    await page.getByRole('link', { name: 'HTML report' }).waitFor(); // it appears without closing the form
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.locator('.facts', { hasText: '100 × 100 × 100 mm' }).waitFor();
  });

  it('scales, and refuses to hollow an open model in the words of the service', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose(FILE);
    await web.waitForVerdict('Needs repair');
    await page.getByRole('radio', { name: 'Scale' }).check();
    await page.locator('input[name=scaleToSizeMm]').fill('40');
    await page.locator('[data-action=scale]').click();
    await page.locator('.facts', { hasText: '40 × 40 × 40 mm' }).waitFor();
    await page.getByRole('radio', { name: 'Hollow' }).check();
    await page.locator('[data-action=hollowing]').click();
    await page.locator('.history .problem').waitFor();
  });

  it('signs an owner in with the link of the terminal, which leaves the address', async () => {
    const code = (await bench.service.createSignInCode?.()) ?? '';
    const web = await bench.open({}, `/#code=${code}`);
    await web.page.getByRole('link', { name: 'Service' }).waitFor();
    web.page.url().should.not.containEql(code);
  });
});
