import should from 'should';
import { readExample } from '../helpers/examples/example-file.js';
import { pasteNodes, quickAdd } from './support/canvas.js';
import type { Editor } from './support/editor.js';
import { NODE_RED_VERSION, registerEditorBench } from './support/editor-bench.js';
import { importNodes } from './support/editor-state.js';

const toType = (name: string) => `model-processing-${name}`;
const PROCESS = toType('process');
const UPLOAD = toType('upload');

describe(`the service of a new node in the editor of Node-RED ${NODE_RED_VERSION}`, () => {
  let editor: Editor;

  registerEditorBench((bench) => ({ editor } = bench));

  /** Asserts that the editor has one service, which all model nodes use, and no invalid node. */
  const assertOneService = async (nodeCount: number) => {
    const nodes = await editor.modelNodes();
    nodes.length.should.equal(nodeCount);
    const [service, ...others] = await editor.services();
    should(others).be.empty();
    for (const node of nodes) should(node.service).equal(service?.id);
    should(service?.users.toSorted()).deepEqual(nodes.map(({ id }) => id).toSorted());
    (await editor.invalidNodeTypes()).should.be.empty();
    return service;
  };

  it('is a local service, created with the first node', async () => {
    await editor.dragFromPalette(PROCESS, 300, 100);
    should(await assertOneService(1)).containEql({ service: 'local', valid: true, changed: true });
  });

  it('makes a new node of each type valid', async () => {
    const types = [
      PROCESS,
      UPLOAD,
      ...['import', 'repair', 'export', 'wait', 'download', 'operation', 'preview'].map(toType),
    ];
    for (const [index, type] of types.entries()) {
      await editor.dragFromPalette(type, 200 + 200 * (index % 3), 80 + 80 * Math.floor(index / 3));
      await assertOneService(index + 1);
    }
  });

  it('is the same for two nodes that are dropped right after each other', async () => {
    await editor.dragFromPalette(PROCESS, 300, 100);
    await editor.dragFromPalette(UPLOAD, 300, 200);
    await assertOneService(2);
  });

  it('is created in the same undo step as the node', async () => {
    await editor.dragFromPalette(PROCESS, 300, 100);
    await editor.dragFromPalette(UPLOAD, 300, 200);
    await editor.invoke('core:undo');
    await assertOneService(1);
    await editor.invoke('core:undo');
    should(await editor.services()).be.empty();
    should(await editor.modelNodes()).be.empty();
    await editor.invoke('core:redo');
    await assertOneService(1);
    await editor.invoke('core:redo');
    await assertOneService(2);
  });

  it('is created in a subflow', async () => {
    await editor.invoke('core:create-subflow');
    await editor.dragFromPalette(PROCESS, 300, 200);
    await assertOneService(1);
    await editor.invoke('core:undo');
    should(await editor.services()).be.empty();
  });

  it('is created from the quick-add menu', async () => {
    await quickAdd(editor, 'model process', 300, 200);
    await assertOneService(1);
    await editor.invoke('core:undo');
    should(await editor.services()).be.empty();
  });

  it('stays the same when nodes are copied and pasted', async () => {
    await editor.dragFromPalette(PROCESS, 300, 100);
    await editor.invoke('core:copy-selection-to-internal-clipboard');
    await pasteNodes(editor, 300, 300);
    await assertOneService(2);
    await editor.invoke('core:undo');
    await assertOneService(1);
  });

  it('is the only service, also if it is remote', async () => {
    const remote = await readExample('Remote account');
    await importNodes(
      editor.page,
      remote.filter(({ type }) => type === 'model-processing-service'),
    );
    const id = await editor.dragFromPalette(PROCESS, 300, 100);
    const [service, ...others] = await editor.services();
    should(others).be.empty();
    should((await editor.modelNodes()).find((node) => node.id === id)?.service).equal(service?.id);
  });

  it('is the local one of several services', async () => {
    await editor.importExample('Remote account');
    await editor.importExample('Repair a model');
    const id = await editor.dragFromPalette(PROCESS, 300, 400);
    const services = await editor.services();
    should(services.map(({ service }) => service).toSorted()).deepEqual(['local', 'remote']);
    const selected = (await editor.modelNodes()).find((node) => node.id === id)?.service;
    should(services.find((service) => service.id === selected)?.service).equal('local');
  });

  it('is used by an example that is imported later', async () => {
    const id = await editor.dragFromPalette(PROCESS, 300, 100);
    await editor.importExample('Repair a model');
    await editor.importExample('Check and route');
    const [service, ...others] = await editor.services();
    should(others).be.empty();
    should(service?.users).containEql(id);
    for (const node of await editor.modelNodes()) should(node.service).equal(service?.id);
  });

  it('is used by an example also if it has another id', async () => {
    const own = { id: '00c0ffee00c0ffee', type: 'model-processing-service', name: 'own', service: 'local' };
    const [sample] = (await readExample('Repair a model')).filter(({ type }) => type === 'model-processing-service');
    await importNodes(editor.page, [{ ...sample, ...own }]);
    await editor.importExample('Repair a model');
    should((await editor.services()).map(({ id }) => id)).deepEqual([own.id]);
    for (const node of await editor.modelNodes()) should(node.service).equal(own.id);
    (await editor.invalidNodeTypes()).should.be.empty();
  });
});
