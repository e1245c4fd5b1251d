import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import should from 'should';
import { readExample } from '../helpers/examples/example-file.js';
import { findNodeId } from '../helpers/examples/example-node-red.js';
import { type DeployedExample, SCENARIOS } from '../helpers/examples/scenarios.js';
import { Editor } from './support/editor.js';
import { EDITION, type EditorBench, NODE_RED_VERSION, registerEditorBench } from './support/editor-bench.js';
import { editAllControls, readControls } from './support/form.js';

/** The variant that the documentation shows. */
const DOCUMENTED = 'nr4-light';

describe(`the editor of Node-RED ${NODE_RED_VERSION} on Node ${process.versions.node}, with the packed package`, () => {
  let bench: EditorBench;
  let editor: Editor;

  registerEditorBench((opened) => {
    bench = opened;
    editor = bench.editor;
  });

  const nodeTypes = async (): Promise<string[]> => {
    const manifest = JSON.parse(await readFile('package.json', 'utf8'));
    return Object.keys(manifest['node-red'].nodes).filter((type) => type !== 'model-processing-service');
  };

  describe('a dialog', () => {
    // The editor receives a placeholder instead of a stored secret.
    const SECRETS = ['node-config-input-clientSecret', 'node-config-input-password'];

    it('of each node keeps the entered values after Done', async () => {
      for (const [index, type] of (await nodeTypes()).entries()) {
        const id = await editor.dragFromPalette(type, 200 + 200 * (index % 3), 80 + 80 * Math.floor(index / 3));
        const { form, done } = await editor.openDialog(id);
        await editAllControls(form, ['node-input-service']);
        const entered = await readControls(form);
        await done();
        const reopened = await editor.openDialog(id);
        should(await readControls(reopened.form)).deepEqual(entered, type);
        await reopened.done();
      }
    });

    it('of the service node keeps the entered values after Done, except secrets', async () => {
      await editor.openDialog(await editor.dragFromPalette('model-processing-upload', 200, 80));
      const { form, done } = await editor.openService();
      await editAllControls(form);
      const entered = (await readControls(form)).filter(({ name }) => !SECRETS.includes(name));
      await done();
      const reopened = await editor.openService();
      should((await readControls(reopened.form)).filter(({ name }) => !SECRETS.includes(name))).deepEqual(entered);
      await reopened.done();
    });
  });

  describe('the dialogs', () => {
    const variants = [
      { name: `${EDITION}-light`, options: {} },
      { name: `${EDITION}-de`, options: { locale: 'de-DE' } },
      ...(EDITION === 'nr4' ? [] : [{ name: `${EDITION}-dark`, options: { theme: 'dark' as const } }]),
    ];

    for (const { name, options } of variants)
      it(`show texts instead of catalog keys, and fit into their panel: ${name}`, async () => {
        const { browser, nodeRed } = bench;
        const viewer = await Editor.open(browser, nodeRed.url, { viewport: { width: 1240, height: 840 }, ...options });
        for (const [index, type] of (await nodeTypes()).entries()) {
          const id = await viewer.dragFromPalette(type, 200 + 200 * (index % 3), 80 + 80 * Math.floor(index / 3));
          const { panel, form, done } = await viewer.openDialog(id);
          await assertTextsFit(form, type);
          if (index === 0) {
            const service = await viewer.openService();
            await assertTextsFit(service.form, 'service');
            await viewer.screenshot(`${name}-service`, service.panel);
            if (name === DOCUMENTED) await viewer.updateDocsImage('nodes/service', service.form);
            await service.done();
          } else
            should(await form.locator('#node-input-service').inputValue()).match(
              /^[0-9a-f]+$/,
              `${type} preselects the only service`,
            );
          const node = type.replace('model-processing-', '');
          await viewer.screenshot(`${name}-${node}`, panel);
          if (name === DOCUMENTED) await viewer.updateDocsImage(`nodes/${node}`, form);
          await done();
        }
        await viewer.screenshot(`${name}-palette`);
        await viewer.close();
      });
  });

  describe('an example imported from the menu', () => {
    for (const [name, run] of Object.entries(SCENARIOS))
      it(`"${name}" works as its comment describes`, async () => {
        const { environment, userDir, nodeRed, messages } = bench;
        const flow = await readExample(name);
        await editor.importExample(name);
        (await editor.invalidNodeTypes()).should.be.empty();
        const started = messages.nextStart();
        await editor.deploy();
        await started;
        const deployed: DeployedExample = {
          environment,
          userDir,
          url: nodeRed.url,
          triggerInject: (inject) => editor.pressButton(findNodeId(flow, 'inject', inject)),
          nextMessage: (debug) => messages.next(findNodeId(flow, 'debug', debug)),
        };
        await run(deployed);
        const isDocumented = name === 'Repair a model';
        await editor.showFlow(isDocumented ? 1180 : 1500, isDocumented ? 620 : 760);
        await editor.screenshot(`${EDITION}-example-${name.replaceAll(' ', '-')}`);
        if (isDocumented && EDITION === 'nr4') await editor.updateDocsImage('flow');
      });
  });
});

/** Asserts that a form shows no catalog key, has no content wider than itself, and no label on several lines. */
async function assertTextsFit(form: Locator, name: string): Promise<void> {
  should(await form.innerText()).not.match(/\b(label|tip|port|type|send|invalid|paletteLabel)\.\w/, name);
  const { contentWidth, width } = await form.evaluate((element) => ({
    contentWidth: element.scrollWidth,
    width: element.clientWidth,
  }));
  contentWidth.should.be.belowOrEqual(width, name);
  const wrapped = await form.locator('label span').evaluateAll((texts) => {
    return texts.filter((text) => text.getClientRects().length > 1).map(({ textContent }) => textContent);
  });
  wrapped.should.deepEqual([], name);
}
