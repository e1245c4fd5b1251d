import should from 'should';
import type { Editor } from './support/editor.js';
import { registerEditorBench } from './support/editor-bench.js';

const ON_TAB = { z: 'tab', x: 200, service: 'service', wires: [[]] };
const TAB = { id: 'tab', type: 'tab', label: 'saved' };
const LOCAL = { id: 'service', type: 'model-processing-service', service: 'local', name: 'local' };

// The global of the editor page, for functions that page.evaluate() runs there.
declare const RED: { nodes: { node(id: string): { folder?: string } } };

describe('the folder of a node that was saved before it had one', () => {
  let editor: Editor;
  registerEditorBench((bench) => ({ editor } = bench));

  for (const [name, settings] of [
    ['upload', {}],
    ['process', {}],
    ['download', { target: 'file' }],
  ] as const)
    it(`is explained in the dialog of model ${name}, and set by Done`, async () => {
      const node = { ...ON_TAB, id: `saved-${name}`, y: 100, type: `model-processing-${name}`, ...settings };
      await editor.addFlow([TAB, LOCAL, node], TAB.label);
      const id = node.id;
      const readFolder = () => editor.page.evaluate((nodeId) => RED.nodes.node(nodeId).folder, id);
      should(await readFolder()).be.undefined();
      const { form, done } = await editor.openDialog(id);
      const tip = form.locator(`.model-processing-${name}-unbound`);
      (await tip.isVisible()).should.be.true();
      await editor.screenshot(`saved-${name}`, form);
      await done();
      should(await readFolder()).equal('');
      const reopened = await editor.openDialog(id);
      (await tip.isVisible()).should.be.false();
      await reopened.done();
    });
});
