import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import should from 'should';
import { freePort, type NodeRedProcess, startNodeRedProcess } from '../helpers/node-red-process.js';
import { installTarball, packPackage } from '../helpers/packed-package.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const EXAMPLE = 'Repair a model';
// UPDATE_PICTURES=1 renews the pictures of the documentation.
const PICTURES = process.env.UPDATE_PICTURES ? 'docs/pictures' : 'build/pictures';

// What the page's scripts know; the functions given to page.evaluate() run there.
declare const RED: {
  actions: { invoke(action: string): void };
  nodes: {
    eachNode(visit: (node: EditorNode) => void): void;
    getType(type: string): unknown;
    dirty(): boolean;
  };
};
interface EditorNode {
  id: string;
  type: string;
  status?: { fill?: string; shape?: string; text?: string };
}

const importExample = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+i');
  const dialog = page.locator('#red-ui-clipboard-dialog');
  await dialog.waitFor();
  await page.locator('#red-ui-clipboard-dialog-import-tab-examples, a:has-text("Examples")').first().click();
  const entry = (text: string) => dialog.locator('.red-ui-treeList-label', { hasText: text }).first();
  await entry('@model-processing/node-red').click();
  await entry(EXAMPLE).click();
  await page.locator('#red-ui-clipboard-dialog-ok').click();
  await dialog.waitFor({ state: 'hidden' });
};

const statusesOf = (page: Page): Promise<Record<string, EditorNode['status']>> =>
  page.evaluate(() => {
    const statuses: Record<string, EditorNode['status']> = {};
    RED.nodes.eachNode((node) => {
      if (node.type.startsWith('model-processing-')) statuses[`${node.type} ${node.id}`] = node.status ?? {};
    });
    return statuses;
  });

describe(`the example flow "${EXAMPLE}" in the real editor, from the packed package`, () => {
  let folder: string;
  let nodeRed: NodeRedProcess | undefined;
  let browser: Browser | undefined;
  let page: Page;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'editor-'));
    const userDir = path.join(folder, 'user');
    await installTarball(userDir, await packPackage(folder));
    nodeRed = await startNodeRedProcess(userDir, await freePort());
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    page = await browser.newPage({ viewport: { width: 1240, height: 620 } });
    await page.goto(nodeRed.url);
    await page.waitForFunction(
      () => 'RED' in globalThis && RED.nodes.getType('model-processing-download') !== undefined,
    );
    await page.locator('.red-ui-tab').first().waitFor();
  });

  after(async () => {
    await browser?.close();
    await nodeRed?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  });

  it('ends with every badge in its finished state, with nothing typed in', async () => {
    await importExample(page);
    await page.locator('.red-ui-tab-label', { hasText: EXAMPLE }).first().click();
    await page.locator('#red-ui-header-button-deploy').click();
    await page.waitForFunction(() => !RED.nodes.dirty());
    await page.locator('.red-ui-flow-node-button-button').first().click();
    await page
      .waitForFunction(() => {
        let isFinished = true;
        RED.nodes.eachNode(({ type, status }) => {
          if (type.startsWith('model-processing-') && status?.fill !== 'green') isFinished = false;
        });
        return isFinished;
      })
      .catch(async () => should.fail(await statusesOf(page), 'every badge green', nodeRed?.log(), 'is'));
    await takePicture(page, 'flow.png');
    const statuses = Object.values(await statusesOf(page));
    statuses.length.should.equal(8);
    for (const status of statuses) should(status).containEql({ fill: 'green', shape: 'dot' });
  });

  it('leaves the repaired model in the user directory', async () => {
    const files = await readdir(path.join(folder, 'user/model-downloads'));
    files.should.deepEqual(['bracket.stl']);
  });
});

// Palette and canvas, from its upper left corner, with our nodes in the one and no notification over the other.
const takePicture = async (page: Page, name: string): Promise<void> => {
  await page.locator('#red-ui-palette-search input').pressSequentially('model');
  await page.locator('.red-ui-palette-node[data-palette-type="inject"]').waitFor({ state: 'hidden' });
  await page.evaluate(() => {
    RED.actions.invoke('core:toggle-sidebar');
    const chart = document.querySelector('#red-ui-workspace-chart');
    if (chart) Object.assign(chart, { scrollTop: 0, scrollLeft: 0 });
    document.querySelector('#red-ui-notifications')?.setAttribute('style', 'display: none');
  });
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: path.join(PICTURES, name) });
};
