import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import should from 'should';
import { readExample } from '../helpers/examples/example-file.js';
import { findNodeId } from '../helpers/examples/example-node-red.js';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../helpers/node-red-process.js';
import { eventually } from '../helpers/processes.js';
import { Editor, startBrowser } from './support/editor.js';
import { NODE_RED_VERSION } from './support/editor-bench.js';
import { ModelsTab } from './support/models-tab.js';
import { installPackedPackage } from './support/packed-package.js';

const EXAMPLE = 'Preview a repair';
const SETTINGS = `editorTheme: { tours: false, projects: { enabled: true }, palette: { catalogues: [] } },`;

describe(`the models of preview nodes, with projects, in Node-RED ${NODE_RED_VERSION}`, () => {
  let home: string;
  let userDir: string;
  let nodeRed: NodeRedProcess;
  let browser: Browser;
  let port: number;

  const readModels = async (): Promise<{ state: string }[]> =>
    (await (await fetch(`${nodeRed.url}/model-processing/models`)).json()).models;
  const start = async () => {
    nodeRed = await startNodeRedProcess(userDir, port, { settings: SETTINGS });
  };
  /** Starts the example. Resolves when both previews are complete. */
  const runExample = async () => {
    const flow = await readExample(EXAMPLE);
    const { status } = await fetch(`${nodeRed.url}/inject/${findNodeId(flow, 'inject', 'repair the bracket')}`, {
      method: 'POST',
    });
    should(status).equal(200);
    await eventually('both previews are complete', async () => {
      const models = await readModels();
      return models.length === 2 && models.every(({ state }) => state === 'complete') ? models : undefined;
    });
  };
  /** Lists the files that belong to flows and projects, with the content of the flows. */
  const readFlowFiles = async () => {
    const files = await readdir(userDir, { withFileTypes: true });
    const names = files
      .filter(({ name }) => /flow|project/.test(name) && !name.endsWith('.backup'))
      .map(({ name }) => name);
    return { names, flows: await readFile(path.join(userDir, 'flows.json'), 'utf8') };
  };

  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'models-restart-'));
    userDir = path.join(home, 'user');
    await cp(await installPackedPackage(), userDir, { recursive: true, verbatimSymlinks: true });
    await cp(`examples/${EXAMPLE}.json`, path.join(userDir, 'flows.json'));
    port = await findFreePort();
    await start();
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await nodeRed?.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  });

  it('write nothing to the files of flows and projects', async () => {
    should(nodeRed.log()).not.match(/Projects disabled/);
    const before = await readFlowFiles();
    await runExample();
    should(await readFlowFiles()).deepEqual(before);
  });

  it('end with a restart of Node-RED, in an editor that stays open, and are shown again after the next message', async () => {
    const flow = await readExample(EXAMPLE);
    const editor = await Editor.open(browser, nodeRed.url);
    const tab = new ModelsTab(editor);
    const picture = tab.picture(findNodeId(flow, 'model-processing-preview', 'repaired'));
    await picture.waitFor();
    await tab.show();
    await tab.waitForRows(2);
    await nodeRed.stop();
    await start();
    await tab.waitForRows(0);
    await picture.waitFor({ state: 'detached' });
    await runExample();
    await picture.waitFor();
    await tab.waitForRows(2);
    await editor.close();
  });
});
