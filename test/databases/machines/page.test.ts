import type { Browser } from 'playwright-core';
import should from 'should';
import type { Haproxy } from '../../helpers/haproxy.js';
import { eventually } from '../../helpers/processes.js';
import { OPEN_CUBE } from '../../service/support/models.js';
import { startViewerBrowser } from '../../viewer/support/viewer-browser.js';
import { countTriangles, readDownload } from '../../web/support/read-download.js';
import { WebPage } from '../../web/support/web-page.js';
import { Machines, PASSWORD } from './support/machines.js';

describe('the page of two API processes behind HAProxy', function () {
  this.timeout(600_000);
  let machines: Machines;
  let balancer: Haproxy;
  let browser: Browser;

  before(async () => {
    machines = await Machines.start();
    browser = await startViewerBrowser({ hasWebgl: false }); // nothing here is drawn
  });

  after(async () => {
    await browser.close();
    await machines.stop();
  });

  beforeEach(async () => {
    await machines.reset();
    balancer = await machines.startBalancer(await Promise.all([machines.startApi(), machines.startApi()]));
    await machines.startWorker();
  });

  afterEach(() => machines.end());

  const open = async (): Promise<WebPage> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
    const web = new WebPage(await context.newPage(), balancer.baseUrl);
    web.page.setDefaultTimeout(120_000);
    await web.page.goto(balancer.baseUrl);
    return web;
  };

  /** Returns the names of the processes that received requests with a path. */
  const processesOf = (path: RegExp): string[] => {
    const lines = balancer.log().filter((line) => path.test(line));
    return [...new Set(lines.flatMap((line) => /\/(api-\d) /.exec(line)?.[1] ?? []))].sort();
  };

  it('leads from the sign-in to the repaired file, whichever process receives a request', async () => {
    await machines.addAccount('ann');
    const web = await open();
    const { page } = web;
    await web.signIn({ username: 'ann', password: PASSWORD });
    await web.choose({ name: 'cube.stl', content: OPEN_CUBE });
    await web.waitForVerdict('Needs repair');
    await page.locator('[data-action=repair]').click();
    await web.waitForVerdict('Ready to print');
    const downloading = page.waitForEvent('download');
    await page.locator('[data-action=export]').click();
    countTriangles(await readDownload(await downloading)).should.be.aboveOrEqual(12);
    // Which process gets a request depends on the number of requests before it.
    await eventually('both processes have received all kinds of requests', async () => {
      await page.reload();
      await web.waitForRow('cube.stl', 'Ready to print');
      return [/ \/web-api\/operation/, / \/ui\//].every((path) => processesOf(path).length === 2);
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('input[name=username]').waitFor();
    await page.reload();
    await page.locator('input[name=username]').waitFor();
    should(web.problems).deepEqual([]);
    await web.context.close();
  });

  it('ends a session in all processes with the password of its user', async () => {
    await machines.addAccount('ann');
    const web = await open();
    await web.signIn({ username: 'ann', password: PASSWORD });
    await machines.setPassword('ann', 'another password');
    await web.page.getByText('Your session has ended.').waitFor();
    await web.signIn({ username: 'ann', password: 'another password' });
    should(web.problems).deepEqual([]);
    await web.context.close();
  });
});
