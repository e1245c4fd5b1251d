import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import should from 'should';
import { sphere } from '../service/support/models.js';
import { assertAccessible } from './support/audit.js';
import { searchDefects } from './support/search-defects.js';
import { createPreparedModel } from './support/three-defects.js';
import { startViewerBrowser } from './support/viewer-browser.js';

const run = promisify(execFile);
/** The size of the window in which the documentation shows the 3D view of a report. */
const DOCUMENTED = { width: 860, height: 700 };
/** Like HTML, as far as a filename without slashes can be. */
const MALICIOUS = '<img src=x onerror="document.title=1">&\'.stl';

describe('the HTML report', () => {
  let folder: string;
  let count = 0;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let requests: string[];

  const create = async (input: string, ...options: string[]): Promise<string> => {
    count += 1;
    const file = path.join(folder, `report-${count}.html`);
    const program = ['dist/src/cli.js', 'process', path.join(folder, input), '--html', file, ...options];
    await run(process.execPath, program);
    return file;
  };

  const open = async (file: string, options: BrowserContextOptions = {}): Promise<void> => {
    const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, offline: true, ...options });
    page = await context.newPage();
    problems = [];
    requests = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
  };

  const waitForPicture = () => page.locator('canvas[data-detail=full]').waitFor();

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'report-'));
    browser = await startViewerBrowser();
    for (const name of ['bracket.stl', MALICIOUS]) await copyFile('samples/bracket.stl', path.join(folder, name));
  });

  after(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(() => page.context().close());

  const createRepaired = (...options: string[]) => create('bracket.stl', '--repair', `-o${folder}/out/`, ...options);

  it('opens from disk without network, and shows both models', async () => {
    await open(await createRepaired());
    await waitForPicture();
    await page.getByText('Printable. The surface is closed').waitFor();
    await page.getByText('Holes filled: 15').waitFor();
    await page.locator('#summary').getByText('149 boundary edges').waitFor();
    await page.locator('#summary').getByText('No defects').waitFor();
    const images = await page
      .locator('figure img')
      .evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth));
    should(images).deepEqual([640, 640]);
    should(problems).be.empty();
    requests.filter((url) => !/^(file|data):/.test(url)).should.be.empty();
    await page.screenshot({ path: 'test/viewer/pictures/report-light.png', fullPage: true });
    if (process.env.UPDATE_PICTURES) {
      await page.setViewportSize(DOCUMENTED);
      await waitForPicture();
      await page.locator('#view').screenshot({ path: 'docs/pictures/report.png' });
    }
  });

  it('lets its reader find the three defects of a prepared model by what is on the screen', async () => {
    await writeFile(path.join(folder, 'prepared.off'), createPreparedModel());
    await open(await create('prepared.off', '--repair', `-o${folder}/out/`));
    await waitForPicture();
    await page.getByRole('button', { name: 'Before', exact: true }).click();
    await searchDefects({ page, pictures: 'test/viewer/pictures/defects-report' });
  });

  it('is German on request, and dark if the browser is', async () => {
    await open(await createRepaired('--language=de'), { colorScheme: 'dark' });
    await waitForPicture();
    await page.getByText('Druckbar. Die Oberfläche ist geschlossen').waitFor();
    await page.getByRole('button', { name: 'Nächster Defekt' }).waitFor();
    await assertAccessible(page);
    await page.screenshot({ path: 'test/viewer/pictures/report-dark-de.png', fullPage: true });
  });

  it('has no violations of accessibility', async () => {
    await open(await createRepaired());
    await waitForPicture();
    await assertAccessible(page);
  });

  it('is readable without scripts, and prints on A4', async () => {
    await open(await createRepaired(), { javaScriptEnabled: false });
    await page.getByText('Inconsistently wound edges').waitFor();
    should(await page.locator('#view').isVisible()).be.false();
    should(await page.locator('figure img').first().isVisible()).be.true();
    const pdf = (await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
    const boxes = pdf.match(/\/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]/g) ?? [];
    boxes.length.should.be.within(1, 2);
  });

  it('prints without the 3D view', async () => {
    await open(await createRepaired());
    await waitForPicture();
    await page.emulateMedia({ media: 'print' });
    should(await page.locator('#view').isVisible()).be.false();
    should(await page.locator('figure img').first().isVisible()).be.true();
    await page.screenshot({ path: 'test/viewer/pictures/report-print.png', fullPage: true });
  });

  it('of a check shows one model and the reasons', async () => {
    await open(await create('bracket.stl'));
    await waitForPicture();
    await page.getByText('Not printable. The surface is not closed').waitFor();
    await page.getByRole('listitem').getByText('149 boundary edges', { exact: true }).first().waitFor();
    should(await page.locator('figure').count()).equal(1);
    should(await page.getByText('What was done').count()).equal(0);
  });

  it('shows a name that looks like HTML as text', async () => {
    await open(await create(MALICIOUS));
    await waitForPicture();
    should(await page.locator('h1').textContent()).equal(MALICIOUS);
    should(await page.title()).equal(MALICIOUS);
    should(await page.locator('img[src=x]').count()).equal(0);
    should(problems).be.empty();
  });

  it('is blocked by its policy from running other scripts, and from the network', async () => {
    const html = await readFile(await createRepaired(), 'utf8');
    const changed = path.join(folder, 'changed.html');
    await writeFile(changed, html.replace('</main>', '<script>document.title = "changed"</script></main>'));
    await open(changed);
    await waitForPicture();
    should(await page.title()).equal('bracket.stl');
    should(problems.join()).match(/Content Security Policy/);
    const isBlocked = await page.evaluate(() =>
      fetch('https://example.com').then(
        () => false,
        () => true,
      ),
    );
    should(isBlocked).be.true();
  });

  it('shows the pictures in place of the view without WebGL', async () => {
    const other = await startViewerBrowser({ hasWebgl: false });
    try {
      page = await (await other.newContext({ viewport: { width: 1100, height: 800 } })).newPage();
      await page.goto(pathToFileURL(await createRepaired()).href);
      await page.getByRole('alert').getByText('does not provide WebGL 2').waitFor();
      should(await page.locator('.pictures img').count()).equal(4); // those of the page, and in the view
    } finally {
      await other.close();
    }
  });

  it('takes at most 2.5 MB for models with more triangles than it shows', async () => {
    await writeFile(path.join(folder, 'sphere.stl'), sphere(300, 400));
    const file = await create('sphere.stl', '--repair', `-o${folder}/out/`);
    (await stat(file)).size.should.be.within(1e6, 2.5e6);
    await open(file);
    await waitForPicture();
    await page.locator('.label').getByText('100,000 of 239,200 triangles shown').waitFor();
  });
});
