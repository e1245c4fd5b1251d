import should from 'should';
import { OPEN_CUBE } from '../service/support/models.js';
import { assertAccessible } from '../viewer/support/audit.js';
import { registerWebBench } from './support/web-bench.js';
import type { WebPage } from './support/web-page.js';

const FILE = { name: 'cube.stl', content: OPEN_CUBE };

describe('The page for everybody', () => {
  const bench = registerWebBench();

  const showModel = async (web: WebPage): Promise<void> => {
    await web.signIn();
    await web.choose(FILE, { name: 'notes.txt', content: 'x' });
    await web.row(FILE.name).locator('.badge').waitFor();
    await web.row(FILE.name).locator('a').click();
    await web.page.locator('canvas[data-detail=full]').waitFor();
  };

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has no violation of WCAG 2.2 AA, ${colorScheme}`, async () => {
      const web = await bench.open({ colorScheme });
      await web.page.locator('input[name=username]').waitFor();
      await assertAccessible(web.page);
      await web.signIn();
      await assertAccessible(web.page);
      await web.page.reload();
      await web.page.locator('[data-key=choose-files]').waitFor();
      await web.choose(FILE, { name: 'notes.txt', content: 'x' });
      await web.row(FILE.name).locator('.badge').waitFor();
      await web.row(FILE.name).locator('a').click();
      await web.page.locator('canvas[data-detail=full]').waitFor();
      await assertAccessible(web.page);
    });

    it(`has no violation of WCAG 2.2 AA for owners, ${colorScheme}`, async () => {
      const code = (await bench.service.createSignInCode?.()) ?? '';
      const web = await bench.open({ colorScheme }, `/#code=${code}`);
      await web.page.getByRole('link', { name: 'Service' }).click();
      await web.page.locator('table').first().waitFor();
      await web.page.locator('.service summary').first().click();
      await assertAccessible(web.page);
    });
  }

  it('has no violation of WCAG 2.2 AA on a phone, in German', async () => {
    const web = await bench.open({ viewport: { width: 390, height: 844 }, locale: 'de-DE' });
    await showModel(web);
    await assertAccessible(web.page);
  });

  it('speaks the language of the browser, and keeps another one that was chosen', async () => {
    const web = await bench.open({ locale: 'de-DE' });
    const { page } = web;
    await page.getByRole('button', { name: 'Anmelden' }).waitFor();
    await showModel(web);
    await web.waitForVerdict('Reparatur nötig');
    should(await page.evaluate(() => document.documentElement.lang)).equal('de');
    await page.locator('.top select').selectOption('en');
    await web.waitForVerdict('Needs repair');
    await page.locator('.viewer-host').getByText('Wireframe').waitFor();
    await page.reload();
    await web.waitForVerdict('Needs repair');
  });

  it('shows the errors and the warnings of the service in German', async () => {
    const web = await bench.open({ locale: 'de-DE' });
    const { page } = web;
    await web.signIn();
    await web.choose({ name: 'broken.stl', content: 'no triangles' });
    await page.getByText('Die Datei ist nicht lesbar, oder ihr Inhalt passt nicht zu ihrer Endung.').first().waitFor();
    await web.choose({ name: 'short.stl', content: OPEN_CUBE.slice(0, OPEN_CUBE.lastIndexOf('facet')) });
    await page.getByText('Hinweise (1)').click();
    await page.getByText('Die Datei ist abgeschnitten').waitFor();
  });

  it('has a sentence for browsers without scripts', async () => {
    const web = await bench.open({ javaScriptEnabled: false });
    await web.page.getByText('This page needs JavaScript.').waitFor();
  });

  it('does not load the viewer before a model is shown', async () => {
    const urls: string[] = [];
    const web = await bench.open();
    web.page.on('request', (request) => urls.push(new URL(request.url()).pathname));
    await web.page.reload();
    await web.signIn();
    should(urls).containEql('/ui/app.js').and.not.containEql('/ui/viewer.js');
    await web.choose(FILE);
    await web.page.locator('canvas[data-detail=full]').waitFor();
    should(urls).containEql('/ui/viewer.js');
  });
});

describe('The page without WebGL', () => {
  const bench = registerWebBench({}, { hasWebgl: false });

  it('shows a picture of the model, and its defects', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.choose(FILE);
    await web.page.getByText('does not provide WebGL 2').waitFor();
    const picture = web.page.locator('.viewer-host img').first();
    await picture.waitFor();
    should(
      await picture.evaluate(async (image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
    ).equal(400);
  });
});
