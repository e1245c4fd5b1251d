import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import should from 'should';
import { writeBumpySphere } from '../helpers/bumpy-sphere.js';
import { searchDefects } from '../viewer/support/search-defects.js';
import { createPreparedModel } from '../viewer/support/three-defects.js';
import { startViewerBrowser } from '../viewer/support/viewer-browser.js';
import { DashboardPage } from './support/dashboard-page.js';
import { type DashboardSite, registerDashboardSite } from './support/dashboard-site.js';

const PICTURES = 'test/dashboard/pictures';

describe('the dashboard example, on @flowfuse/node-red-dashboard', () => {
  let browser: Browser;
  let site: DashboardSite;
  let pages: DashboardPage[] = [];

  const assign = (started: DashboardSite) => {
    site = started;
  };
  const open = async (address = 'dashboard/repair') => {
    const page = await DashboardPage.open(browser, `${site.nodeRed.url}/${address}`);
    pages.push(page);
    return page;
  };
  /** Writes a model with holes, and returns its path. */
  const writeModel = async (triangleCount: number, filename = 'sphere.stl') => {
    const file = path.join(site.home, filename);
    await writeBumpySphere(file, triangleCount);
    return file;
  };

  before(async () => {
    browser = await startViewerBrowser();
  });
  after(() => browser?.close());
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      console.error(site.nodeRed.log().split('\n').slice(-20).join('\n'));
      await pages
        .at(-1)
        ?.page.screenshot({ path: `${PICTURES}/failed-${this.currentTest.title.replace(/\W+/g, '-')}.png` });
    }
    await Promise.all(pages.map((page) => page.close()));
    pages = [];
  });

  describe('with the settings of Dashboard', () => {
    registerDashboardSite('', assign);

    it('shows a model of 0.9 MB before and after its repair, only to the visitor who uploaded it', async () => {
      const [page, other] = [await open(), await open()];
      const file = await writeModel(18_300);
      (await stat(file)).size.should.be.within(0.9e6, 1e6);
      await page.upload(file);
      await page.waitForView();
      await page.page.getByText(/sphere\.stl: 3 holes before the repair, 0 after it\. The model is solid\./).waitFor();
      await page.page.screenshot({ path: `${PICTURES}/page.png`, fullPage: true });
      const [download] = await Promise.all([
        page.page.waitForEvent('download'),
        page.page.getByRole('link', { name: 'Save the repaired file' }).click(),
      ]);
      download.suggestedFilename().should.equal('sphere.stl');
      (await stat(await download.path())).size.should.be.above(0.9e6);
      // A message to the other page, sent later than the reply, arrives without it.
      await other.upload(path.resolve('package.json'));
      await other.page.getByText(/package\.json.*it is JSON, not a model/).waitFor();
      (await other.viewer.isVisible()).should.be.false();
      should(await other.page.locator('body').innerText()).not.containEql('sphere.stl');
      should(await page.page.locator('body').innerText()).not.containEql('package.json');
      // Neither does the page of a visitor who comes later.
      const later = await open();
      should(await later.page.locator('body').innerText()).not.containEql('sphere.stl');
    });

    it('tells a browser that sends paths instead of files nothing', async () => {
      const page = await open();
      const secret = path.join(site.home, 'user/flows.json');
      for (const file of [secret, `${secret}-missing`, '/etc/passwd'])
        for (const message of [
          { payload: file, filename: 'x.obj' },
          { payload: { path: file, originalname: 'x.obj' } },
          { payload: {}, req: { files: [{ path: file, originalname: 'x.obj' }] }, cancel: true },
        ]) {
          await page.send(message);
          const text = 'No file was sent. Choose a model, then press Upload.';
          await page.page.getByRole('alert').filter({ hasText: text }).waitFor();
          should(await page.page.locator('body').innerText()).not.containEql(file);
          await page.send({ payload: Buffer.from('no model'), file: { name: 'control.txt' } });
          await page.page.getByText(/control\.txt.*nor its extension is that of a model/).waitFor();
        }
    });

    it('lets its visitor find the three defects of a prepared model by what is on the screen', async () => {
      const page = await open();
      const file = path.join(site.home, 'prepared.off');
      await writeFile(file, createPreparedModel());
      await page.upload(file);
      await page.waitForView();
      await page.page.getByRole('button', { name: 'Before', exact: true }).click();
      await searchDefects({ page: page.page, pictures: `${PICTURES}/defects` });
    });

    it('says why a larger file cannot be uploaded, and what to set, before the upload starts', async () => {
      const page = await open();
      await page.choose(await writeModel(404_000, 'large.stl'));
      const alert = page.page.getByRole('alert').filter({ hasText: 'large.stl' });
      should(await alert.innerText()).equal(
        'large.stl has 20.2 MB; this page accepts 1.0 MB. To accept it, set dashboard: { maxHttpBufferSize: 30e6 } in settings.js and ' +
          'restart Node-RED. For files of hundreds of megabytes, use the example "HTTP endpoint with jobs".',
      );
      (await page.uploadButton.isDisabled()).should.be.true();
      await page.page.screenshot({ path: `${PICTURES}/too-large.png`, fullPage: true });
      await page.choose('samples/bracket.stl');
      await alert.waitFor({ state: 'detached' });
      (await page.uploadButton.isDisabled()).should.be.false();
    });
  });

  describe('with maxHttpBufferSize, httpAdminRoot and httpNodeRoot', () => {
    registerDashboardSite(
      `dashboard: { maxHttpBufferSize: 30e6 }, httpAdminRoot: '/red', httpNodeRoot: '/api',`,
      assign,
    );

    it('shows a model of 20 MB', async () => {
      const page = await open('api/dashboard/repair');
      const file = await writeModel(404_000);
      (await stat(file)).size.should.be.above(20e6);
      await page.upload(file);
      await page.waitForView();
      await page.page.getByText(/80 holes before the repair, 0 after it/).waitFor();
    });
  });

  const INACCESSIBLE = {
    'the editor is off': 'httpAdminRoot: false,',
    'the editor is protected':
      'httpAdminRoot: "/red", httpAdminMiddleware: (request, response) => response.sendStatus(401),',
  };
  for (const [reason, settings] of Object.entries(INACCESSIBLE))
    describe(`where ${reason}`, () => {
      registerDashboardSite(settings, assign);

      it('shows the picture instead of the viewer', async () => {
        const page = await open();
        await page.upload('samples/bracket.stl');
        await page.picture.waitFor();
        await page.page.waitForFunction(
          () => document.querySelector<HTMLImageElement>('.model-picture')?.naturalWidth === 600,
        );
        await page.page.getByText(/29 holes before the repair, 0 after it/).waitFor();
        (await page.viewer.isVisible()).should.be.false();
        await page.page.screenshot({ path: `${PICTURES}/${reason.replaceAll(' ', '-')}.png`, fullPage: true });
      });
    });
});
