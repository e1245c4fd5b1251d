import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import should from 'should';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../helpers/node-red-process.js';
import { eventually } from '../helpers/processes.js';
import { Editor, startBrowser } from './support/editor.js';
import { EDITION, NODE_RED_VERSION } from './support/editor-bench.js';
import { ModelsTab } from './support/models-tab.js';
import { installPackedPackage } from './support/packed-package.js';

const require = createRequire(path.resolve(process.env.NODE_RED_DIR ?? '.', 'package.json'));
const PASSWORD = 'correct horse';
const SERVICE = { id: 'service0', type: 'model-processing-service', service: 'local' };

/** A flow that imports the sample and passes it to two instances of a subflow with a preview node. */
const FLOW = [
  { id: 'tab0', type: 'tab', label: 'models' },
  SERVICE,
  { id: 'sub0', type: 'subflow', name: 'look', in: [{ x: 50, y: 50, wires: [{ id: 'preview0' }] }], out: [] },
  {
    id: 'preview0',
    type: 'model-processing-preview',
    z: 'sub0',
    name: 'inner',
    service: SERVICE.id,
    x: 200,
    y: 50,
    wires: [[]],
  },
  { id: 'inject0', type: 'inject', z: 'tab0', name: 'start', props: [], x: 100, y: 100, wires: [['upload0']] },
  {
    id: 'upload0',
    type: 'model-processing-upload',
    z: 'tab0',
    source: 'bracket.stl',
    sourceType: 'sample',
    service: SERVICE.id,
    x: 250,
    y: 100,
    wires: [['import0']],
  },
  {
    id: 'import0',
    type: 'model-processing-import',
    z: 'tab0',
    send: 'finished',
    service: SERVICE.id,
    x: 400,
    y: 100,
    wires: [['first0', 'second0', 'outer0']],
  },
  { id: 'first0', type: 'subflow:sub0', z: 'tab0', name: 'first', x: 600, y: 60, wires: [] },
  { id: 'second0', type: 'subflow:sub0', z: 'tab0', name: 'second', x: 600, y: 120, wires: [] },
  {
    id: 'outer0',
    type: 'model-processing-preview',
    z: 'tab0',
    name: 'outer',
    service: SERVICE.id,
    x: 600,
    y: 200,
    wires: [[]],
  },
];

// The global of the editor page, for functions that page.evaluate() runs there.
declare const RED: { workspaces: { show(id: string): void } };

describe(`the models below httpAdminRoot with adminAuth, in Node-RED ${NODE_RED_VERSION}`, () => {
  let home: string;
  let nodeRed: NodeRedProcess;
  let browser: Browser;
  let admin: string;

  const request = (url: string, token?: string, options: RequestInit = {}) =>
    fetch(`${nodeRed.url}/red/${url}`, {
      ...options,
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    });
  const signIn = async (username: string): Promise<string> => {
    const body = JSON.stringify({
      client_id: 'node-red-admin',
      grant_type: 'password',
      scope: username === 'admin' ? '*' : 'read',
      username,
      password: PASSWORD,
    });
    return (await (await request('auth/token', undefined, { method: 'POST', body })).json()).access_token;
  };
  const readModels = async () => (await (await request('model-processing/models', admin)).json()).models;
  const openEditor = async (token: string) => {
    const editor = await Editor.open(browser, `${nodeRed.url}/red/?access_token=${token}`);
    return { editor, tab: new ModelsTab(editor) };
  };

  before(async () => {
    const installed = await installPackedPackage();
    home = await mkdtemp(path.join(os.tmpdir(), 'models-access-'));
    const userDir = path.join(home, 'user');
    await cp(installed, userDir, { recursive: true, verbatimSymlinks: true });
    const hash = require('bcryptjs').hashSync(PASSWORD, 4);
    const users = ['admin', 'reader'].map((username) => ({
      username,
      password: hash,
      permissions: username === 'admin' ? '*' : 'read',
    }));
    const settings = `httpAdminRoot: '/red', adminAuth: ${JSON.stringify({ type: 'credentials', users })},`;
    nodeRed = await startNodeRedProcess(userDir, await findFreePort(), { settings });
    browser = await startBrowser();
    admin = await signIn('admin');
    (await request('flows', admin, { method: 'POST', body: JSON.stringify(FLOW) })).ok.should.be.true();
    await eventually(
      'the flow runs',
      async () => (await request('inject/inject0', admin, { method: 'POST' })).ok || undefined,
    );
    await eventually('all previews are complete', async () => {
      const models: { state: string }[] = await readModels();
      return models.length === 3 && models.every(({ state }) => state === 'complete') ? models : undefined;
    });
  });
  after(async () => {
    await browser?.close();
    await nodeRed?.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  });

  it('are refused to requests without a token', async () => {
    const [{ key }] = await readModels();
    for (const url of ['models', `models/${key}`, `models/${key}/picture`, `models/${key}/mesh`])
      should((await request(`model-processing/${url}`)).status).equal(401, url);
  });

  it('are visible to a user who may only read', async () => {
    const { editor, tab } = await openEditor(await signIn('reader'));
    await tab.picture('outer0').waitFor();
    await tab.show();
    await tab.waitForRows(3);
    await tab.rows.first().click();
    await tab.waitForView();
    await tab.detail.locator('table').waitFor();
    await editor.screenshot(`${EDITION}-models-reader`);
    await editor.close();
  });

  it('have one entry for each instance of a subflow, and no picture on its template', async () => {
    const { editor, tab } = await openEditor(admin);
    await tab.show();
    await tab.waitForRows(3);
    const rows = await tab.rows.allInnerTexts();
    for (const label of ['first / inner', 'second / inner', 'outer'])
      should(rows.filter((row) => row.includes(`· ${label} ·`)).length).equal(1, rows.join());
    await tab.picture('outer0').waitFor();
    await editor.page.evaluate(() => RED.workspaces.show('sub0'));
    await editor.page.locator('[id="preview0"]').waitFor();
    (await tab.picture('preview0').count()).should.equal(0);
    await editor.close();
  });

  it('are shown after the user has signed in again if the session has ended', async () => {
    const token = await signIn('admin');
    const { editor, tab } = await openEditor(token);
    const { page } = editor;
    await tab.show();
    await tab.waitForRows(3);
    // The requests of the click end the session: another one before it would ask the user to sign in over the list.
    const body = JSON.stringify({ token });
    let revoked: Promise<Response> | undefined;
    await page.route(/models\/[0-9a-f]{32}(\/mesh.*)?$/, async (route) => {
      revoked ??= request('auth/revoke', token, { method: 'POST', body });
      (await revoked).ok.should.be.true();
      await route.continue();
    });
    await tab.rows.first().click();
    await page.locator('#node-dialog-login-username').fill('admin');
    await page.locator('#node-dialog-login-password').fill(PASSWORD);
    await page.locator('#node-dialog-login-submit').click();
    await tab.waitForView();
    await tab.detail.locator('table').waitFor();
    await editor.close();
  });
});
