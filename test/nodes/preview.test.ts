import { randomUUID } from 'node:crypto';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { type Fault, neverReply, replyWith, replyWithError } from '../helpers/fake-replies.js';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench, Message } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

const START_PREVIEW = /operation\/preview$/;

describe('the preview node', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

  const report = {
    before: { triangles: 100, badContours: 2 },
    after: { triangles: 90, badContours: 0, qualityParams: { intersectingTriangles: 3 } },
    steps: [{ name: 'fill holes', changed: 2 }],
    places: [{ defect: 'boundaryEdge', x: 1, y: 2, z: 3, sizeMm: 4 }],
    warnings: [],
    verdict: { level: 'manifold', needsRepair: true, reasons: ['3 intersecting triangles'] },
  };
  const createMessage = (more: object = {}) => {
    const [inputId, resultId] = [randomUUID(), randomUUID()];
    const repair = { operation: 'repair', operationId: randomUUID(), inputId, parameters: {}, isSuccessful: true };
    const operations = [{ ...repair, result: { operationId: repair.operationId, resultId, report } }];
    return { payload: { resultId }, model: { resultId, filename: 'part.stl', operations, warnings: [] }, ...more };
  };
  const announce = (...operations: string[]) =>
    service.fault('GET', /^\/formats$/, replyWith(200, { operations, features: ['priority'] }), 999);
  const start = (settings: object = {}) => open(withService({ type: 'model-processing-preview', ...settings }));
  const readModels = async () => (await helper.request().get('/model-processing/models')).body.models;
  const readBodies = (operation: string) =>
    service.requests
      .filter(({ method, path }) => method === 'POST' && path === `/web-api/operation/${operation}`)
      .flatMap(({ body }) => (body === '' ? [] : [JSON.parse(body)])); // a request that is still being received has no body
  const completeInputs = (count: number) => bench.until(() => (bench.completed.get('node') ?? 0) >= count);

  it('sends the message at once and unchanged, before the preview is complete', async () => {
    announce('thumbnail', 'preview');
    service.pollsNeeded = 1_000_000;
    await start();
    const sent = createMessage({ extra: { any: 'thing' } });
    const copy = structuredClone(sent);
    bench.send(sent);
    const { _msgid, ...received } = await bench.next();
    should(received).deepEqual(copy);
    should(bench.completed.get('node')).be.undefined();
  });

  it('creates a picture, a preview and that of the input of the last repair, with low priority', async () => {
    announce('thumbnail', 'preview');
    await start({ pictureWidth: 300 });
    const msg = createMessage();
    bench.send(msg);
    await completeInputs(1);
    should(readBodies('thumbnail')).match([
      { inputId: msg.payload.resultId, width: 600, height: 400, priority: 'low' },
    ]);
    const [entry] = msg.model.operations;
    should(readBodies('preview')).match([
      { inputId: msg.payload.resultId, priority: 'low' },
      { inputId: entry?.inputId, priority: 'low' },
    ]);
    should(bench.status()).containEql({ fill: 'yellow', shape: 'ring', text: 'manifold' });
  });

  it('compares with nothing, or with the model of a setting', async () => {
    announce('preview');
    const compareId = randomUUID();
    await start({ compareIdType: 'none' });
    bench.send(createMessage());
    await completeInputs(1);
    readBodies('preview').length.should.equal(1);
    await bench.deploy(withService({ type: 'model-processing-preview', compareId, compareIdType: 'str' }));
    bench.send(createMessage());
    await bench.until(() => readBodies('preview').length === 3);
    should(readBodies('preview')[2]).match({ inputId: compareId });
    should(readBodies('thumbnail')).be.empty();
  });

  it('lists the model with its verdict, counts and report, without ids of the service', async () => {
    announce('thumbnail', 'preview');
    await start({ name: 'look' });
    bench.send(createMessage());
    await completeInputs(1);
    const [model, ...others] = await readModels();
    should(others).be.empty();
    should(model).match({
      path: 'tab/node',
      name: 'look',
      state: 'complete',
      has: { picture: true, mesh: true, before: true },
      summary: { filename: 'part.stl', level: 'manifold', analysis: { triangles: 90, intersectingTriangles: 3 } },
    });
    should(model.key).match(/^[0-9a-f]{32}$/);
    const { body, headers } = await helper.request().get(`/model-processing/models/${model.key}`);
    should(body.summary).match({ before: { badContours: 2 }, steps: report.steps, places: report.places });
    should(headers['cache-control']).equal('no-store');
    should(JSON.stringify([model, body])).not.match(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  it('creates only a picture at a service without previews', async () => {
    await start();
    bench.send(createMessage());
    await completeInputs(1);
    const [thumbnail] = readBodies('thumbnail');
    should(thumbnail).not.have.property('priority');
    should(readBodies('preview')).be.empty();
    const [model] = await readModels();
    should(model).match({ state: 'unsupported', has: { picture: true, mesh: false } });
  });

  it('asks again which operations the service has if that could not be read', async () => {
    service.fault('GET', /^\/formats$/, replyWith(503, {}), 2);
    announce('preview');
    await start();
    bench.send(createMessage());
    await completeInputs(1);
    should((await readModels())[0]).match({ state: 'complete', has: { mesh: true } });
  });

  it('raises the reason if the operations of the service cannot be read', async () => {
    service.fault('GET', /^\/formats$/, replyWith(503, {}), 999);
    await start();
    bench.send(createMessage());
    await bench.until(() => bench.countUnread('errors') > 0);
    should((await readModels())[0]).match({ state: 'failed' });
    should(readBodies('thumbnail')).be.empty();
  });

  it('sends the message and raises the error if the preview fails, red until the next success', async () => {
    announce('preview');
    service.fault('POST', START_PREVIEW, replyWithError(422, 'OUT_OF_MEMORY'));
    await start();
    bench.send(createMessage());
    await bench.until(() => bench.countUnread('errors') > 0 && bench.countUnread('out') > 0);
    should((await bench.next('errors')).error.code).equal('REFUSED');
    should(await bench.next()).have.property('payload');
    should(bench.status()).containEql({ fill: 'red', shape: 'ring' });
    should((await readModels())[0]).match({ state: 'failed', error: { code: 'REFUSED' } });
    bench.send(createMessage());
    await completeInputs(2);
    should(bench.status()).containEql({ fill: 'yellow' });
  });

  it('sends the message and raises INPUT_MISSING if it has no model, and NOT_CONFIGURED without a service', async () => {
    await start();
    bench.send({ payload: { any: 1 } });
    await bench.until(() => bench.countUnread('errors') > 0 && bench.countUnread('out') > 0);
    should((await bench.next('errors')).error.code).equal('INPUT_MISSING');
    should((await bench.next()).payload).deepEqual({ any: 1 });
    await bench.deploy(withService({ type: 'model-processing-preview', service: '' }));
    bench.send({ payload: { any: 2 } });
    await bench.until(() => bench.countUnread('errors') > 0 && bench.countUnread('out') > 0);
    should((await bench.next('errors')).error.code).equal('NOT_CONFIGURED');
    should((await bench.next()).payload).deepEqual({ any: 2 });
  });

  it('processes one message, lets the newest wait and ends the others, each in one done', async () => {
    announce('preview');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holdFirst: Fault = () => released.then(() => false);
    service.fault('POST', START_PREVIEW, holdFirst);
    await start({ compareIdType: 'none' });
    const messages = Array.from({ length: 10 }, () => createMessage());
    for (const msg of messages) bench.send(msg);
    // The first one runs, the last one waits, and the eight between them were skipped.
    await completeInputs(8);
    // The helper replaces texts by their keys.
    should(bench.status()?.text).match(/workingSkipped/);
    await bench.until(() => service.count('POST', START_PREVIEW) === 1);
    release();
    await completeInputs(10);
    should(readBodies('preview').map(({ inputId }) => inputId)).deepEqual(
      [messages[0], messages[9]].map((msg) => msg?.payload.resultId),
    );
    bench.countUnread('out').should.equal(10);
    bench.countUnread('errors').should.equal(0);
    should(bench.completed.get('node')).equal(10);
    should((await readModels()).length).equal(2);
  });

  it('calls no done on a redeploy, keeps the models, and leaves no request behind', async () => {
    announce('preview');
    service.fault('POST', START_PREVIEW, neverReply, 99);
    const flow = withService({ type: 'model-processing-preview' });
    await open(flow);
    bench.send(createMessage());
    bench.send(createMessage());
    await bench.until(() => service.count('POST', START_PREVIEW) === 1);
    await bench.deploy(flow);
    should(bench.completed.get('node')).be.undefined();
    bench.countUnread('errors').should.equal(0);
    await bench.until(() => service.sockets.size === 0);
    should((await readModels()).map(({ state }: Message) => state)).deepEqual(['failed']);
    await bench.deploy(flow.filter(({ id }) => id !== 'node'));
    should(await readModels()).be.empty();
  });

  it('calls no done if it or its flow is disabled, or it is deleted, while a preview runs, and ends its request', async () => {
    announce('preview');
    service.fault('POST', START_PREVIEW, neverReply, 99);
    const flow = withService({ type: 'model-processing-preview' });
    const change = (id: string, more: object) => flow.map((item) => (item.id === id ? { ...item, ...more } : item));
    const deleted = flow.filter(({ id }) => id !== 'node');
    const changes = [change('node', { d: true }), change('tab', { disabled: true }), deleted];
    await open(flow);
    for (const changed of changes) {
      const starts = service.count('POST', START_PREVIEW);
      bench.send(createMessage());
      await bench.until(() => service.count('POST', START_PREVIEW) > starts);
      await bench.deploy(changed);
      await bench.until(() => service.sockets.size === 0);
      // Only the models of a deleted node are removed.
      should((await readModels()).map(({ state }: Message) => state)).deepEqual(changed === deleted ? [] : ['failed']);
      await bench.deploy(deleted);
      should(await readModels()).be.empty();
      await bench.deploy(flow);
    }
    should(bench.completed.get('node')).be.undefined();
    bench.countUnread('errors').should.equal(0);
  });

  it('keeps the last 50 models, at most 16 KiB each', async () => {
    await start();
    const places = Array.from({ length: 2000 }, () => report.places[0]);
    for (let count = 1; count <= 55; count += 1) {
      const msg = createMessage();
      Object.assign(msg.model.operations[0]?.result.report ?? {}, { places });
      bench.send(msg);
      await completeInputs(count);
    }
    const models = await readModels();
    should(models.length).equal(50);
    const { text } = await helper.request().get(`/model-processing/models/${models[0].key}`);
    Buffer.byteLength(text).should.be.within(8 << 10, 16 << 10);
  });
});
