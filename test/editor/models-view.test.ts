import should from 'should';
import { readExample } from '../helpers/examples/example-file.js';
import { findNodeId } from '../helpers/examples/example-node-red.js';
import { holdRequests } from '../helpers/hold-requests.js';
import { eventually } from '../helpers/processes.js';
import { assertAccessible } from '../viewer/support/audit.js';
import { startViewerBrowser } from '../viewer/support/viewer-browser.js';
import { createBurstFlow } from './support/burst-flow.js';
import { findAnnouncements, findFileContents, recordComms } from './support/comms-recorder.js';
import { countResources } from './support/count-resources.js';
import { Editor } from './support/editor.js';
import { EDITION, type EditorBench, NODE_RED_VERSION, registerEditorBench } from './support/editor-bench.js';
import { ModelsTab } from './support/models-tab.js';

const EXAMPLE = 'Preview a repair';
const NODE_COUNT = 20;
const BURST_COUNT = 30;

describe(`the view of models in the editor of Node-RED ${NODE_RED_VERSION}`, () => {
  let bench: EditorBench;
  let editor: Editor;
  let tab: ModelsTab;
  let ids: Record<'broken' | 'repaired' | 'start' | 'import', string>;

  registerEditorBench((opened) => {
    bench = opened;
    editor = bench.editor;
    tab = new ModelsTab(editor);
  });

  const showExample = async (shown = editor) => {
    await shown.page.locator('.red-ui-tab-label').getByText(EXAMPLE, { exact: true }).click();
  };
  const readModels = async (): Promise<{ key: string; path: string; revision: number; state: string }[]> =>
    (await (await fetch(`${bench.nodeRed.url}/model-processing/models`)).json()).models;
  const press = async (id: string) => {
    (await fetch(`${bench.nodeRed.url}/inject/${id}`, { method: 'POST' })).ok.should.be.true();
  };
  const deploy = async (flow: object[]) => {
    const headers = { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': 'full' };
    const started = bench.messages.nextStart();
    const body = JSON.stringify(flow);
    (await fetch(`${bench.nodeRed.url}/flows`, { method: 'POST', headers, body })).ok.should.be.true();
    await started;
  };

  it('has no violation of accessibility in the tab without models', async () => {
    await tab.show();
    await tab.waitForRows(0);
    await assertAccessible(editor.page, '.model-processing-models');
  });

  it('has no violation of accessibility in tab and tray', async () => {
    const flow = await readExample(EXAMPLE);
    ids = {
      broken: findNodeId(flow, 'model-processing-preview', 'broken'),
      repaired: findNodeId(flow, 'model-processing-preview', 'repaired'),
      start: findNodeId(flow, 'inject', 'repair the bracket'),
      import: findNodeId(flow, 'model-processing-import', ''),
    };
    await deploy(flow);
    await editor.page.reload();
    await showExample();
    await press(ids.start);
    await tab.picture(ids.repaired).waitFor();
    await eventually('both previews are complete', async () => {
      const models = await readModels();
      return models.length === 2 && models.every(({ state }) => state === 'complete') ? models : undefined;
    });
    await tab.show();
    await tab.waitForRows(2);
    await assertAccessible(editor.page, '.model-processing-models');
    await tab.rows.first().click();
    await tab.waitForView();
    await tab.detail.locator('table').waitFor();
    await assertAccessible(editor.page, '.model-processing-models');
    await tab.detail.getByRole('button', { name: 'Enlarge' }).click();
    await tab.waitForTray();
    await assertAccessible(editor.page, '.red-ui-tray .model-processing-models');
  });

  it('has pictures from eight directions without WebGL, requested one at a time, and again if one failed', async () => {
    const browser = await startViewerBrowser({ hasWebgl: false });
    try {
      const other = await Editor.open(browser, bench.nodeRed.url);
      const otherTab = new ModelsTab(other);
      const waitForPictures = (count: number) =>
        other.page.waitForFunction((expected) => {
          const root = document.querySelector('.model-processing-view > div')?.shadowRoot;
          const images = [...(root?.querySelectorAll<HTMLImageElement>('.pictures img') ?? [])];
          return images.filter(({ naturalWidth }) => naturalWidth === 480).length === expected;
        }, count);
      const requests = { running: 0, most: 0, failures: 1 };
      await other.page.route(/picture\?view=/, async (route) => {
        requests.running += 1;
        requests.most = Math.max(requests.most, requests.running);
        const isFailing = route.request().url().endsWith('=3') && requests.failures-- > 0;
        const reply = isFailing ? { status: 502 } : { response: await route.fetch() };
        requests.running -= 1;
        await route.fulfill(reply);
      });
      await otherTab.show();
      await otherTab.rows.first().click();
      await waitForPictures(7);
      await otherTab.detail.getByRole('button', { name: 'All models' }).click();
      await otherTab.rows.first().click();
      await waitForPictures(8);
      should(requests.most).equal(1);
      await other.screenshot(`${EDITION}-models-eight-pictures`);
    } finally {
      await browser.close();
    }
  });

  it('follows the theme of the editor while a model is shown', async () => {
    await tab.show();
    await tab.rows.first().click();
    await tab.waitForView();
    const host = (theme: string) => tab.detail.locator(`.model-processing-view > div[data-theme=${theme}]`);
    await host('light').waitFor();
    await editor.page.evaluate(() => document.documentElement.classList.add('nr-theme-dark'));
    await host('dark').waitFor();
    await editor.page.evaluate(() => document.documentElement.classList.remove('nr-theme-dark'));
    await host('light').waitFor();
  });

  it('has one WebGL context if a model is opened again while its mesh is loaded', async () => {
    const browser = await startViewerBrowser();
    try {
      const other = await Editor.open(browser, bench.nodeRed.url);
      const otherTab = new ModelsTab(other);
      const { page } = other;
      const readResources = await countResources(page);
      const release = await holdRequests(page, /\/mesh$/);
      let replyCount = 0;
      page.on('requestfinished', (request) => {
        if (request.url().endsWith('/mesh')) replyCount += 1;
      });
      await otherTab.show();
      await otherTab.rows.first().click();
      await otherTab.detail.getByRole('button', { name: 'All models' }).click();
      await otherTab.rows.first().click();
      release();
      await eventually('both meshes are loaded', () => replyCount === 2);
      await page.locator('.model-processing-view canvas[data-detail=full]').waitFor();
      should((await readResources()).contexts).equal(1);
    } finally {
      await browser.close();
    }
  });

  it('has the focus in the tray while it is open, and where it was afterwards', async () => {
    await showExample();
    const focused = editor.page.locator(':focus');
    const close = async () => {
      await editor.page.locator('.red-ui-tray :focus').waitFor();
      await editor.page.locator('.red-ui-tray').getByRole('button', { name: 'Close' }).click();
      await editor.page.locator('.red-ui-tray').waitFor({ state: 'detached' });
    };
    await tab.picture(ids.broken).press('Enter');
    await close();
    await tab.picture(ids.broken).and(focused).waitFor();
    await editor.invoke('model-processing:show-models');
    await tab.detail.getByRole('button', { name: 'Enlarge' }).press('Enter');
    await close();
    await tab.detail.getByRole('button', { name: 'Enlarge' }).and(focused).waitFor();
  });

  it(`has ${NODE_COUNT} pictures on a tab with as many nodes, one WebGL context, and one blob URL per picture`, async () => {
    const flow = await readExample(EXAMPLE);
    const broken = flow.find(({ id }) => id === ids.broken);
    const nodes = Array.from({ length: NODE_COUNT }, (_, i) => ({
      ...broken,
      id: `preview${i}`,
      name: `look ${i}`,
      pictureWidth: 60,
      x: 100 + 150 * (i % 5),
      y: 60 + 100 * Math.floor(i / 5),
      wires: [[]],
    }));
    const kept = flow.filter(({ type }) => type !== 'model-processing-preview' && type !== 'comment');
    const wired = kept.map((node) => (node.id === ids.import ? { ...node, wires: [nodes.map(({ id }) => id)] } : node));
    await deploy([...wired, ...nodes]);
    const browser = await startViewerBrowser();
    try {
      const other = await Editor.open(browser, bench.nodeRed.url);
      const otherTab = new ModelsTab(other);
      const readResources = await countResources(other.page);
      await showExample(other);
      await press(ids.start);
      await other.page.waitForFunction(
        (count) => document.querySelectorAll('.model-processing-picture').length === count,
        NODE_COUNT,
      );
      await otherTab.show();
      await otherTab.waitForRows(NODE_COUNT);
      await eventually(
        'all previews are complete',
        async () => (await readModels()).every(({ state }) => state === 'complete') || undefined,
      );
      for (let i = 0; i < 3; i += 1) {
        await otherTab.rows.nth(i).click();
        await other.page.locator('.model-processing-view canvas[data-detail=full]').waitFor();
        should((await readResources()).contexts).equal(1);
        await otherTab.detail.getByRole('button', { name: 'All models' }).click();
      }
      should((await readResources()).urls).equal(NODE_COUNT);
      await other.screenshot(`${EDITION}-models-${NODE_COUNT}-nodes`);
    } finally {
      await browser.close();
    }
  });

  it(`is announced in few small messages without pictures and meshes, in bursts of ${BURST_COUNT} messages`, async () => {
    const flow = await createBurstFlow(BURST_COUNT);
    await deploy(flow.nodes);
    const messages = await recordComms(editor.page);
    await editor.page.reload();
    await showExample();
    const announcements = () => findAnnouncements(messages, flow.previewId);
    const keys = new Set<string>();
    const showBurst = async (injectId: string) => {
      const known = keys.size;
      await press(injectId);
      const newest = await eventually('the first and the last message of the burst are shown', async () => {
        const models = (await readModels()).filter(({ path }) => path.endsWith(flow.previewId));
        for (const { key } of models) keys.add(key);
        const isComplete = models.every(({ state }) => state === 'complete');
        return keys.size >= known + 2 && isComplete ? models[0] : undefined;
      });
      await eventually('the last state is announced', () =>
        announcements().some(({ text }) => JSON.parse(text).data.revision === newest.revision),
      );
    };
    // The service starts with the first burst. The others are so fast that their changes must be combined.
    await showBurst(flow.startId);
    const startedAt = performance.now();
    const countBefore = announcements().length;
    await showBurst(flow.againId);
    await showBurst(flow.againId);
    const seconds = (performance.now() - startedAt) / 1000;
    should(announcements().length - countBefore).be.within(2, 2 * seconds + 1);
    await tab.picture(flow.previewId).waitFor();
    for (const { text } of announcements()) Buffer.byteLength(text).should.be.belowOrEqual(300);
    should(findFileContents(messages)).deepEqual([]);
  });
});
