import { readFile } from 'node:fs/promises';
import should from 'should';
import { type Fault, neverReply, replyWith, replyWithError } from '../helpers/fake-replies.js';
import { FakeService } from '../helpers/fake-service.js';
import { eventually } from '../helpers/processes.js';
import { assertAccessible } from '../viewer/support/audit.js';
import { countResources } from './support/count-resources.js';
import type { Editor } from './support/editor.js';
import { EDITION, type EditorBench, NODE_RED_VERSION, registerEditorBench } from './support/editor-bench.js';
import { ModelsTab } from './support/models-tab.js';

const MODEL_ID = '00000000-0000-4000-8000-000000000002';
const PREVIEW_ID = 'preview0';
const START_PREVIEW = /operation\/preview$/;
const LONG_REASON = 'The model has a surface that cannot be simplified. '.repeat(8).trim();
const SMALL = '.model-processing-models { width: 294px !important; height: 175px !important }';

/** Creates a flow that sends a model of a remote service to a preview node. */
function createFlow({ account }: FakeService) {
  const place = { z: 'tab0', y: 100 };
  const { baseUrl, ...credentials } = account;
  const props = [{ p: 'payload', v: JSON.stringify({ resultId: MODEL_ID, filename: 'part.stl' }), vt: 'json' }];
  return [
    { id: 'tab0', type: 'tab', label: 'states', disabled: false },
    { id: 'service0', type: 'model-processing-service', service: 'remote', baseUrl, credentials },
    { id: 'inject0', type: 'inject', ...place, props, x: 100, wires: [[PREVIEW_ID]] },
    { id: PREVIEW_ID, type: 'model-processing-preview', ...place, service: 'service0', x: 300, wires: [[]] },
  ];
}

describe(`a model without a 3D view in the editor of Node-RED ${NODE_RED_VERSION}`, () => {
  let bench: EditorBench;
  let editor: Editor;
  let tab: ModelsTab;
  let service: FakeService;

  registerEditorBench((opened) => {
    bench = opened;
    editor = bench.editor;
    tab = new ModelsTab(editor);
  });

  beforeEach(async () => {
    service = await FakeService.start();
    const picture = await readFile('docs/pictures/report.png');
    service.fault('GET', /operation\/file\//, (_request, reply) => void reply.end(picture), 999);
  });

  afterEach(() => service.stop());

  const deploy = async (flow: object[]) => {
    const headers = { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': 'full' };
    const started = bench.messages.nextStart();
    const body = JSON.stringify(flow);
    (await fetch(`${bench.nodeRed.url}/flows`, { method: 'POST', headers, body })).ok.should.be.true();
    await started;
  };
  const readModels = async (): Promise<{ state: string; has: { picture: boolean } }[]> =>
    (await (await fetch(`${bench.nodeRed.url}/model-processing/models`)).json()).models;

  /** Opens a flow with a preview node. `startPreview` replies to the start of a preview; default: there are none. */
  const openFlow = async (startPreview?: Fault) => {
    if (startPreview) {
      service.fault('GET', /^\/formats$/, replyWith(200, { operations: ['thumbnail', 'preview'] }), 999);
      service.fault('POST', START_PREVIEW, startPreview, 999);
    }
    await deploy([]);
    should(await readModels()).be.empty(); // without that of the test before
    await deploy(createFlow(service));
    await editor.page.reload();
    await editor.page.locator('.red-ui-tab-label').getByText('states', { exact: true }).click();
  };

  /** Sends a model to the preview node. Resolves when it is in the state, with its picture. */
  const sendModel = async (state: string) => {
    (await fetch(`${bench.nodeRed.url}/inject/inject0`, { method: 'POST' })).ok.should.be.true();
    await eventually(`the model is ${state}`, async () => {
      const [model] = await readModels();
      return (model?.state === state && model.has.picture) || undefined;
    });
  };

  /** Asserts that tab and tray are accessible, also in 294 × 175 pixels, and that the part with the picture never scrolls. */
  const assertUsable = async (sentence: string, name: string) => {
    await tab.show();
    await tab.rows.first().click();
    const view = editor.page.locator('.model-processing-view');
    const assertShown = async (part: string) => {
      await view.getByRole('status').getByText(sentence).waitFor();
      await editor.page.waitForFunction(
        () => (document.querySelector<HTMLImageElement>('.model-processing-view > img')?.naturalWidth ?? 0) > 0,
      );
      await assertAccessible(editor.page, part);
      const hidden = await view.evaluate((element) => element.scrollHeight - element.clientHeight);
      should(hidden).equal(0, part);
    };
    await assertShown('.model-processing-models');
    await editor.screenshot(`${EDITION}-models-${name}`);
    const style = await editor.page.addStyleTag({ content: SMALL });
    await assertShown('.model-processing-models');
    await editor.screenshot(`${EDITION}-models-${name}-small`);
    await style.evaluate((element) => (element as HTMLElement).remove());
    await tab.detail.getByRole('button', { name: 'Enlarge' }).click();
    await tab.waitForTray();
    await assertShown('.red-ui-tray .model-processing-models');
    await editor.screenshot(`${EDITION}-models-${name}-tray`);
  };

  it('is shown by its picture, with a sentence, if a remote service has no previews', async () => {
    await openFlow();
    await sendModel('unsupported');
    await assertUsable('The service creates no 3D previews. 3D needs the local service.', 'unsupported');
    service.count('POST', START_PREVIEW).should.equal(0);
  });

  it('is shown by its picture, with a sentence, while its preview is created', async () => {
    await openFlow(neverReply);
    await sendModel('working');
    await assertUsable('The preview is being created.', 'working');
  });

  it('is shown by its picture, with a long reason, if its preview failed', async () => {
    await openFlow(replyWithError(400, LONG_REASON));
    await sendModel('failed');
    await assertUsable('The preview failed: ', 'failed');
  });

  for (const [what, change] of Object.entries({
    'its node': { d: true },
    'the flow of its node': { disabled: true },
  }))
    it(`loses its picture and its blob URL when ${what} is disabled during the preview, and stays listed`, async () => {
      await openFlow(neverReply);
      // Node-RED 5 shows the tab of the last test again: pictures in the list are loaded, too.
      const list = editor.page.locator('.model-processing-list');
      if (await list.isVisible()) await editor.invoke('core:toggle-sidebar');
      await list.waitFor({ state: 'hidden' });
      const readResources = await countResources(editor.page);
      await sendModel('working');
      await tab.picture(PREVIEW_ID).waitFor();
      should((await readResources()).urls).equal(1);
      const id = 'd' in change ? PREVIEW_ID : 'tab0';
      await deploy(createFlow(service).map((node) => (node.id === id ? { ...node, ...change } : node)));
      await tab.picture(PREVIEW_ID).waitFor({ state: 'detached' });
      await eventually('the blob URL is revoked', async () => (await readResources()).urls === 0 || undefined);
      should((await readModels()).map(({ state }) => state)).deepEqual(['failed']);
    });
});
