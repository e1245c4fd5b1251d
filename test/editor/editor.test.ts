import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import should from 'should';
import { readExample } from '../helpers/examples/example-file.js';
import { idOf } from '../helpers/examples/example-node-red.js';
import { MessageRecorder, OBSERVER } from '../helpers/examples/message-recorder.js';
import { type DeployedExample, SCENARIOS } from '../helpers/examples/scenarios.js';
import { createTestEnvironment, type TestEnvironment } from '../helpers/examples/test-environment.js';
import { freePort, type NodeRedProcess, startNodeRedProcess } from '../helpers/node-red-process.js';
import { installTarball, packPackage } from '../helpers/packed-package.js';
import { Editor, startBrowser } from './support/editor.js';
import { editEverything, readControls } from './support/form.js';

const require = createRequire(path.resolve(process.env.NODE_RED_DIR ?? '.', 'package.json'));
const { version } = require('node-red/package.json');
/** Begins the name of every picture. */
const EDITION = `nr${version.split('.')[0]}`;
/** The look that the documentation shows. */
const DOCUMENTED = 'nr4-light';

describe(`the editor of Node-RED ${version} on Node ${process.versions.node}, with the packed package`, () => {
  let world: TestEnvironment;
  let userDir: string;
  let nodeRed: NodeRedProcess;
  let browser: Browser;
  let editor: Editor;
  const arrivals = new MessageRecorder();

  before(async () => {
    world = await createTestEnvironment();
    userDir = path.join(world.home, 'user');
    await installTarball(userDir, await packPackage(world.home));
    const options = { env: world.env, preload: OBSERVER, onMessage: arrivals.record };
    nodeRed = await startNodeRedProcess(userDir, await freePort(), options);
    browser = await startBrowser();
  });

  beforeEach(async () => {
    editor = await Editor.open(browser, nodeRed.url);
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      console.error(nodeRed.log().split('\n').slice(-20).join('\n'));
      await editor.picture(`${EDITION}-failed-${this.currentTest.title.replace(/\W+/g, '-')}`);
    }
    await editor.close();
  });

  after(async () => {
    await browser?.close();
    await nodeRed?.stop();
    await world?.stop();
  });

  const nodeTypes = async (): Promise<string[]> => {
    const manifest = JSON.parse(await readFile('package.json', 'utf8'));
    return Object.keys(manifest['node-red'].nodes).filter((type) => type !== 'model-processing-service');
  };

  describe('a dialog', () => {
    // Both are the same controls; a stored secret never comes back.
    const SECRETS = ['node-config-input-clientSecret', 'node-config-input-password'];

    it('of each node, dragged from the palette, shows after Done what was typed into it', async () => {
      for (const [index, type] of (await nodeTypes()).entries()) {
        const id = await editor.dragFromPalette(type, 200 + 200 * (index % 3), 80 + 80 * Math.floor(index / 3));
        const { form, done } = await editor.openDialog(id);
        await editEverything(form, ['node-input-service']);
        const typed = await readControls(form);
        await done();
        const again = await editor.openDialog(id);
        should(await readControls(again.form)).deepEqual(typed, type);
        await again.done();
      }
    });

    it('of the service shows after Done what was typed into it', async () => {
      await editor.openDialog(await editor.dragFromPalette('model-processing-upload', 200, 80));
      const { form, done } = await editor.openService();
      await editEverything(form);
      const typed = (await readControls(form)).filter(({ name }) => !SECRETS.includes(name));
      await done();
      const again = await editor.openService();
      should((await readControls(again.form)).filter(({ name }) => !SECRETS.includes(name))).deepEqual(typed);
      await again.done();
    });
  });

  describe('the dialogs', () => {
    const looks = [
      { name: `${EDITION}-light`, options: {} },
      { name: `${EDITION}-de`, options: { locale: 'de-DE' } },
      ...(EDITION === 'nr4' ? [] : [{ name: `${EDITION}-dark`, options: { theme: 'dark' as const } }]),
    ];

    for (const { name, options } of looks)
      it(`show words, not keys of the catalogue, and fit into their panel: ${name}`, async () => {
        const looker = await Editor.open(browser, nodeRed.url, { viewport: { width: 1240, height: 840 }, ...options });
        for (const [index, type] of (await nodeTypes()).entries()) {
          const id = await looker.dragFromPalette(type, 200 + 200 * (index % 3), 80 + 80 * Math.floor(index / 3));
          const { panel, form, done } = await looker.openDialog(id);
          await holdsWordsThatFit(form, type);
          if (index === 0) {
            const service = await looker.openService();
            await holdsWordsThatFit(service.form, 'service');
            await looker.picture(`${name}-service`, service.panel);
            if (name === DOCUMENTED) await looker.documentPicture('nodes/service', service.form);
            await service.done();
          } else
            should(await form.locator('#node-input-service').inputValue()).match(
              /^[0-9a-f]+$/,
              `the only service, in ${type}`,
            );
          const node = type.replace('model-processing-', '');
          await looker.picture(`${name}-${node}`, panel);
          if (name === DOCUMENTED) await looker.documentPicture(`nodes/${node}`, form);
          await done();
        }
        await looker.picture(`${name}-palette`);
        await looker.close();
      });
  });

  describe('an example, imported by the menu', () => {
    for (const [name, trial] of Object.entries(SCENARIOS))
      it(`"${name}" does what its comment says`, async () => {
        const flow = await readExample(name);
        await editor.importExample(name);
        (await editor.wrongNodes()).should.be.empty();
        const started = arrivals.nextStart();
        await editor.deploy();
        await started;
        const deployed: DeployedExample = {
          world,
          userDir,
          url: nodeRed.url,
          triggerInject: (inject) => editor.press(idOf(flow, 'inject', inject)),
          nextMessage: (debug) => arrivals.next(idOf(flow, 'debug', debug)),
        };
        await trial(deployed);
        const isDocumented = name === 'Repair a model';
        await editor.showFlow(isDocumented ? 1180 : 1500, isDocumented ? 620 : 760);
        await editor.picture(`${EDITION}-example-${name.replaceAll(' ', '-')}`);
        if (isDocumented && EDITION === 'nr4') await editor.documentPicture('flow');
      });
  });
});

/** Holds that a form shows no key of the catalogue, and nothing that is wider than it. */
async function holdsWordsThatFit(form: Locator, what: string): Promise<void> {
  should(await form.innerText()).not.match(/\b(label|tip|port|type|send|invalid|paletteLabel)\.\w/, what);
  const { inner, outer } = await form.evaluate((element) => ({
    inner: element.scrollWidth,
    outer: element.clientWidth,
  }));
  inner.should.be.belowOrEqual(outer, what);
}
