import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readExample } from '../helpers/examples/example-file.js';
import { findNodeId } from '../helpers/examples/example-node-red.js';
import { searchDefects } from '../viewer/support/search-defects.js';
import { createPreparedModel } from '../viewer/support/three-defects.js';
import { startViewerBrowser } from '../viewer/support/viewer-browser.js';
import { Editor } from './support/editor.js';
import { EDITION, type EditorBench, NODE_RED_VERSION, registerEditorBench } from './support/editor-bench.js';
import { ModelsTab } from './support/models-tab.js';

const EXAMPLE = 'Preview a repair';

describe(`the defects of a model in the editor of Node-RED ${NODE_RED_VERSION}`, () => {
  let bench: EditorBench;

  registerEditorBench((opened) => {
    bench = opened;
  });

  it('are found by what is on the screen: the three of a prepared model', async () => {
    const source = path.join(bench.userDir, 'prepared.off');
    await writeFile(source, createPreparedModel());
    const example = await readExample(EXAMPLE);
    const flow = example.map((node) =>
      node.type === 'model-processing-upload' ? { ...node, source, sourceType: 'str' } : node,
    );
    const headers = { 'Content-Type': 'application/json' };
    const started = bench.messages.nextStart();
    const url = bench.nodeRed.url;
    await fetch(`${url}/flows`, { method: 'POST', headers, body: JSON.stringify(flow) });
    await started;
    const browser = await startViewerBrowser();
    try {
      const editor = await Editor.open(browser, url);
      await editor.page.locator('.red-ui-tab-label').getByText(EXAMPLE, { exact: true }).click();
      await fetch(`${url}/inject/${findNodeId(example, 'inject', 'repair the bracket')}`, { method: 'POST' });
      const tab = new ModelsTab(editor);
      await tab.picture(findNodeId(example, 'model-processing-preview', 'broken')).click();
      await tab.waitForView();
      await searchDefects({ page: editor.page, pictures: `test/editor/pictures/${EDITION}-defects` });
    } finally {
      await browser.close();
    }
  });
});
