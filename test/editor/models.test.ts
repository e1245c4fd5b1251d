import should from 'should';
import { readExample } from '../helpers/examples/example-file.js';
import { findNodeId } from '../helpers/examples/example-node-red.js';
import { holdRequests } from '../helpers/hold-requests.js';
import { Editor } from './support/editor.js';
import { EDITION, type EditorBench, NODE_RED_VERSION, registerEditorBench } from './support/editor-bench.js';
import { ModelsTab } from './support/models-tab.js';

const EXAMPLE = 'Preview a repair';

describe(`the models of preview nodes in the editor of Node-RED ${NODE_RED_VERSION}`, () => {
  let bench: EditorBench;
  let editor: Editor;
  let tab: ModelsTab;
  let ids: { broken: string; repaired: string };

  registerEditorBench((opened) => {
    bench = opened;
    editor = bench.editor;
    tab = new ModelsTab(editor);
  });

  const runExample = async () => {
    const flow = await readExample(EXAMPLE);
    ids = {
      broken: findNodeId(flow, 'model-processing-preview', 'broken'),
      repaired: findNodeId(flow, 'model-processing-preview', 'repaired'),
    };
    const ready = bench.messages.nextStart();
    const isImported = await editor.page.locator('.red-ui-tab-label').getByText(EXAMPLE, { exact: true }).isVisible();
    if (isImported) return;
    await editor.importExample(EXAMPLE);
    await editor.deploy();
    await ready;
    await editor.pressButton(findNodeId(flow, 'inject', 'repair the bracket'));
    await tab.picture(ids.broken).waitFor();
    await tab.picture(ids.repaired).waitFor();
  };

  /** Opens another editor with the example, which runs already. */
  const openAnother = async (options: Parameters<typeof Editor.open>[2] = {}) => {
    const other = await Editor.open(bench.browser, bench.nodeRed.url, options);
    await other.page.locator('.red-ui-tab-label').getByText(EXAMPLE, { exact: true }).click();
    return { other, otherTab: new ModelsTab(other) };
  };

  const reload = async ({ page }: Editor) => {
    await page.reload();
    await page.locator('.red-ui-tab-label').getByText(EXAMPLE, { exact: true }).click();
  };

  it('are drawn under the nodes, and listed in a tab that does not come to the front by itself', async () => {
    await runExample();
    (await editor.page.locator('.model-processing-list').isVisible()).should.be.false();
    await tab.show();
    await tab.waitForRows(2);
    should(await tab.rows.first().innerText()).match(/bracket\.stl[\s\S]*solid[\s\S]*triangles · repaired/);
    should(await tab.rows.last().innerText()).match(/bracket\.stl[\s\S]*open[\s\S]*triangles · broken/);
    await editor.screenshot(`${EDITION}-models-list`);
  });

  it('are shown with report and 3D view in the tab, and in a tray by Enlarge', async () => {
    const { other, otherTab } = await openAnother();
    await otherTab.show();
    await otherTab.waitForRows(2);
    await otherTab.rows.first().click();
    await otherTab.waitForView();
    await otherTab.detail.getByText('Steps').waitFor();
    should(await otherTab.detail.locator('tr', { hasText: 'Holes' }).innerText()).match(/Holes\s+29\s+0/);
    should(await otherTab.findFlaws()).deepEqual([]);
    await other.screenshot(`${EDITION}-models-detail`);
    if (EDITION === 'nr4') await other.updateDocsImage('models');
    await otherTab.detail.getByRole('button', { name: 'Enlarge' }).click();
    const tray = other.page.locator('.red-ui-tray');
    await tray.locator('.model-processing-detail').waitFor();
    await other.screenshot(`${EDITION}-models-tray`);
    await tray.getByRole('button', { name: 'Close' }).click();
    await tray.waitFor({ state: 'detached' });
    await otherTab.detail.getByRole('button', { name: 'All models' }).click();
    await otherTab.waitForRows(2);
    await other.close();
  });

  it('open in the tray with a click on a picture, which opens no dialog', async () => {
    const { other, otherTab } = await openAnother();
    await otherTab.picture(ids.repaired).click();
    await other.page.locator('.red-ui-tray .model-processing-detail').waitFor();
    await otherTab.waitForView();
    (await other.page.locator('#node-dialog-ok').count()).should.equal(0);
    await other.page.locator('.red-ui-tray').getByRole('button', { name: 'Close' }).click();
    await other.page.locator('.red-ui-tray').waitFor({ state: 'detached' });
    await other.close();
  });

  for (const variant of ['de', 'dark', 'small'] as const)
    it(`are usable: ${variant}`, async () => {
      const options = { de: { locale: 'de-DE' }, dark: { theme: 'dark' as const }, small: {} }[variant];
      const { other, otherTab } = await openAnother(options);
      await otherTab.show();
      if (variant === 'small')
        await other.page.addStyleTag({
          content: '.model-processing-models { width: 294px !important; height: 175px !important }',
        });
      await otherTab.waitForRows(2);
      should(await otherTab.findFlaws()).deepEqual([]);
      if (variant === 'de') should(await otherTab.rows.first().innerText()).match(/Volumenkörper[\s\S]*Dreiecke/);
      await otherTab.rows.last().click();
      await otherTab.waitForView();
      await otherTab.detail.locator('table').waitFor();
      should(await otherTab.findFlaws()).deepEqual([]);
      await other.screenshot(`${EDITION}-models-${variant}`);
      await other.close();
    });

  it('are shown with the reason if the service has deleted the mesh', async () => {
    const { other, otherTab } = await openAnother();
    await other.page.route('**/mesh*', (route) => route.fulfill({ status: 410 }));
    await otherTab.show();
    await otherTab.rows.first().click();
    await otherTab.detail.getByText('The file has expired').waitFor();
    await otherTab.detail.getByText('Steps').waitFor();
    await other.close();
  });

  it('show a filename as text, whatever it contains', async () => {
    const { other, otherTab } = await openAnother();
    const filename = '</script><img src=x onerror="document.title=1">.stl';
    await other.page.route('**/model-processing/models', async (route) => {
      const reply = await route.fetch();
      const { models } = await reply.json();
      for (const { summary } of models) Object.assign(summary, { filename });
      await route.fulfill({ response: reply, json: { models } });
    });
    await reload(other);
    await otherTab.show();
    await otherTab.rows.first().click();
    should(await otherTab.detail.locator('strong').first().innerText()).equal(filename);
    await otherTab.detail.getByRole('button', { name: 'Enlarge' }).click();
    await other.page.locator('.red-ui-tray .model-processing-detail').waitFor();
    should(await other.page.title()).not.equal('1');
    await other.close();
  });

  it('are listed also if a node is unknown to the editor, with the reason if a preview failed', async () => {
    const { other, otherTab } = await openAnother();
    const error = { code: 'OPERATION_FAILED', message: 'No memory.' };
    await other.page.route('**/model-processing/models', async (route) => {
      const reply = await route.fetch();
      const { models } = await reply.json();
      Object.assign(models[0], { path: 'tab1/node1', state: 'failed', error });
      await route.fulfill({ response: reply, json: { models } });
    });
    await reload(other);
    await otherTab.show();
    await otherTab.waitForRows(2);
    should(await otherTab.rows.first().innerText()).match(/ · node1 · /);
    await otherTab.rows.first().getByLabel('The preview failed: No memory. (OPERATION_FAILED)').waitFor();
    await other.close();
  });

  it('open with a click during which their pictures arrive', async () => {
    const { other, otherTab } = await openAnother();
    const { page } = other;
    const release = await holdRequests(page, '**/picture');
    await reload(other);
    await otherTab.show();
    await otherTab.waitForRows(2);
    await otherTab.rows.last().hover();
    await page.mouse.down();
    release();
    for (const id of [ids.broken, ids.repaired]) await otherTab.picture(id).waitFor();
    await page.mouse.up();
    await otherTab.detail.getByRole('button', { name: 'All models' }).click();
    await otherTab.waitForPictures(2);
    await other.close();
  });

  it('keep the focus by keyboard between the list and a model', async () => {
    const { other, otherTab } = await openAnother();
    await otherTab.show();
    await otherTab.waitForRows(2);
    await otherTab.rows.last().press('Enter');
    await otherTab.detail.getByRole('button', { name: 'All models' }).and(other.page.locator(':focus')).press('Enter');
    await otherTab.rows.last().and(other.page.locator(':focus')).waitFor();
    await other.close();
  });

  it('lose their pictures with a redeploy and stay listed, in all editors, until their node is deleted', async () => {
    const { other, otherTab } = await openAnother();
    await editor.page.locator('.red-ui-tab-label').getByText(EXAMPLE, { exact: true }).click();
    await otherTab.picture(ids.broken).waitFor();
    await otherTab.show();
    await otherTab.waitForRows(2);
    const redeploy = async (change: (flow: { id: string }[]) => object[]) => {
      const url = `${bench.nodeRed.url}/flows`;
      const flow = await (await fetch(url)).json();
      const headers = { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': 'full' };
      (await fetch(url, { method: 'POST', headers, body: JSON.stringify(change(flow)) })).ok.should.be.true();
    };
    await redeploy((flow) => flow);
    for (const each of [tab, otherTab]) await each.picture(ids.broken).waitFor({ state: 'detached' });
    await otherTab.waitForRows(2);
    await redeploy((flow) => flow.filter(({ id }) => id !== ids.broken));
    await otherTab.waitForRows(1);
    await other.close();
  });

  it('are read again, with their pictures, when the connection to Node-RED was interrupted, as by its restart', async () => {
    const { other, otherTab } = await openAnother();
    const connections: { close: () => Promise<void> }[] = [];
    await other.page.routeWebSocket(/\/comms/, (connection) => {
      connection.connectToServer();
      connections.push(connection);
    });
    await other.page.route('**/picture', (route) => route.fulfill({ status: 410 }));
    const isRefused = other.page.waitForResponse((reply) => reply.url().endsWith('/picture') && reply.status() === 410);
    await reload(other);
    await otherTab.show();
    await otherTab.waitForRows(1);
    await isRefused;
    (await otherTab.rows.locator('img').count()).should.equal(0);
    await other.page.unroute('**/picture');
    await Promise.all(connections.splice(0).map((connection) => connection.close()));
    await otherTab.rows.locator('img').waitFor();
    await other.page.route('**/model-processing/models', (route) => route.fulfill({ json: { models: [] } }));
    await Promise.all(connections.map((connection) => connection.close()));
    await otherTab.waitForRows(0);
    await other.close();
  });
});
