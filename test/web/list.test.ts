import should from 'should';
import { serveList } from './support/serve-list.js';
import { registerWebBench } from './support/web-bench.js';
import type { WebPage } from './support/web-page.js';

const ENTRIES = 1000;
const PART = 50;

describe('The list of the page', () => {
  const bench = registerWebBench({}, { hasWebgl: false }); // nothing here is drawn

  const openList = async (): Promise<{ web: WebPage; verdictCounts: readonly number[] }> => {
    const web = await bench.open();
    const { verdictCounts } = await serveList(web.page, ENTRIES);
    await web.signIn();
    await web.waitForRow('model 0.stl', 'Ready to print');
    return { web, verdictCounts };
  };

  it('creates entries when they are scrolled to, and asks for the verdicts of many at once', async () => {
    const { web, verdictCounts } = await openList();
    const rows = web.page.locator('.rows > li');
    should(await rows.count()).equal(PART);
    should(verdictCounts).deepEqual([PART]);
    await rows.last().scrollIntoViewIfNeeded();
    await web.waitForRow('model 99.stl', 'Ready to print');
    should(await rows.count()).be.below(ENTRIES / 2);
    should(verdictCounts).matchEach(PART);
    should(verdictCounts.length * PART).equal(await rows.count());
  });

  it('keeps the elements of entries that have not changed', async () => {
    const { web } = await openList();
    await web.page.evaluate(() => {
      for (const row of document.querySelectorAll('.rows .row')) row.setAttribute('data-known', '');
    });
    await web.choose({ name: 'next.stl', content: 'x' });
    await web.row('next.stl').waitFor();
    const isKnown = await web.row('model 1.stl').locator('[data-known]').count();
    should(isKnown).equal(1);
  });

  it('shows the format of a model that has no picture', async () => {
    const { web } = await openList();
    const [picture, file] = [web.row('model 0.stl').locator('.no-picture'), web.row('notes.longer').first()];
    should(await picture.textContent()).equal('STL');
    await web.choose({ name: 'notes.longer', content: 'x' });
    should(await file.locator('.no-picture').textContent()).equal('LONGE');
  });
});
