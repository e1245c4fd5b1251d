import should from 'should';
import { readExample } from '../helpers/examples/example-file.js';
import { findNodeId } from '../helpers/examples/example-node-red.js';
import { SCENARIOS } from '../helpers/examples/scenarios.js';
import { connectNodes } from './support/canvas.js';
import { Editor } from './support/editor.js';
import { EDITION, type EditorBench, NODE_RED_VERSION, registerEditorBench } from './support/editor-bench.js';

describe(`the first use of the packed package in Node-RED ${NODE_RED_VERSION}`, () => {
  let bench: EditorBench;
  let editor: Editor;

  registerEditorBench((opened) => {
    bench = opened;
    editor = bench.editor;
  });

  /** Asserts that no node is invalid or has a red status, and saves a screenshot. */
  const assertNothingRed = async (step: string) => {
    await editor.screenshot(`${EDITION}-first-use-${step}`);
    should(await editor.invalidNodeTypes()).be.empty();
    (await editor.modelNodes()).filter(({ status }) => status?.fill === 'red').should.be.empty();
  };

  const assertNoErrorLogged = () =>
    bench.nodeRed
      .log()
      .split('\n')
      .filter((line) => line.includes('[error]'))
      .should.be.empty();

  for (const locale of ['en-US', 'de-DE'])
    it(`shows each label of the palette on one line: ${locale}`, async () => {
      const viewer = await Editor.open(bench.browser, bench.nodeRed.url, { locale });
      const entries = viewer.page.locator('.red-ui-palette-node[data-palette-type^="model-processing-"]');
      const sizes = await entries.evaluateAll((elements) =>
        elements.map((element) => {
          const label = element.querySelector('.red-ui-palette-label');
          return {
            type: element.getAttribute('data-palette-type'),
            height: element.clientHeight,
            overflow: (label?.scrollWidth ?? 0) - (label?.clientWidth ?? 0),
          };
        }),
      );
      sizes.length.should.equal(9);
      for (const size of sizes) size.should.match({ height: 28, overflow: 0 });
      await viewer.close();
    });

  it('repairs the sample with one node, and nothing is red at any moment', async () => {
    const inject = await editor.dragFromPalette('inject', 140, 120);
    const node = await editor.dragFromPalette('model-processing-process', 340, 120);
    const debug = await editor.dragFromPalette('debug', 540, 120);
    await assertNothingRed('1-dropped');
    await connectNodes(editor, inject, node);
    await connectNodes(editor, node, debug);
    await assertNothingRed('2-wired');
    const { form, panel, done } = await editor.openDialog(node);
    const source = form.locator('.form-row', { has: editor.page.locator('#node-input-source') });
    await source.locator('.red-ui-typedInput-type-select').click();
    await editor.page.locator('.red-ui-typedInput-options:visible').getByText('sample', { exact: true }).click();
    await editor.screenshot(`${EDITION}-first-use-3-dialog`, panel);
    await done();
    await assertNothingRed('4-sample-chosen');
    const started = bench.messages.nextStart();
    await editor.deploy();
    await started;
    await assertNothingRed('5-deployed');
    await editor.pressButton(inject);
    const { payload, filename, model } = await bench.messages.next(debug);
    await editor.page.locator(`[id="${node}"] .red-ui-flow-node-status-label`).getByText('solid').waitFor();
    await assertNothingRed('6-finished');
    filename.should.equal('bracket.stl');
    payload.length.should.equal(84 + 50 * payload.readUInt32LE(80));
    model.verdict.level.should.equal('solid');
    assertNoErrorLogged();
  });

  it('imports and deploys all examples: they share one local service, and each works as its comment describes', async () => {
    for (const name of Object.keys(SCENARIOS)) {
      await editor.importExample(name);
      should(await editor.invalidNodeTypes()).be.empty();
    }
    (await editor.services())
      .map(({ service }) => service)
      .toSorted()
      .should.deepEqual(['local', 'remote']);
    const started = bench.messages.nextStart();
    await editor.deploy();
    await started;
    await assertNothingRed('7-all-examples');
    const { environment, userDir, nodeRed, messages } = bench;
    for (const [name, run] of Object.entries(SCENARIOS)) {
      const flow = await readExample(name);
      await run({
        environment,
        userDir,
        url: nodeRed.url,
        triggerInject: async (inject) => {
          await fetch(`${nodeRed.url}/inject/${findNodeId(flow, 'inject', inject)}`, { method: 'POST' });
        },
        nextMessage: (debug) => messages.next(findNodeId(flow, 'debug', debug)),
      });
    }
    assertNoErrorLogged();
  });
});
