import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { neverReply, replyWith } from '../helpers/fake-replies.js';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

const FILE = /operation\/file\//;
const TOPIC = 'model-processing/models/node';

describe('the models of preview nodes', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

  const get = (path = '', headers: Record<string, string> = {}) =>
    helper.request().get(`/model-processing/models${path}`).set(headers).buffer(true);
  const send = async (count = 1) => {
    const done = (bench.completed.get('node') ?? 0) + count;
    bench.send({ payload: { resultId: randomUUID(), filename: 'part.stl' } });
    await bench.until(() => (bench.completed.get('node') ?? 0) >= done);
    return (await get()).body.models[0].key;
  };
  const openWithPreviews = async (
    flow = withService({ type: 'model-processing-preview', compareId: randomUUID(), compareIdType: 'str' }),
  ) => {
    service.fault('GET', /^\/formats$/, replyWith(200, { operations: ['thumbnail', 'preview'] }), 99);
    await open(flow);
    return flow;
  };

  it('have a picture and meshes, which are read from the service', async () => {
    await openWithPreviews();
    const key = await send();
    const picture = await get(`/${key}/picture`);
    should(picture.headers).containEql({ 'content-type': 'image/png', 'cache-control': 'no-store' });
    should(Buffer.from(picture.body).toString()).equal('a thumbnail');
    const [mesh, before] = [await get(`/${key}/mesh`), await get(`/${key}/mesh?of=before`)];
    should(mesh.headers['content-type']).equal('model/gltf-binary');
    for (const { status } of [mesh, before]) should(status).equal(200);
    service.count('GET', FILE).should.equal(3);
  });

  it('have no file if the service has deleted it, and 502 if the service does not work', async () => {
    await openWithPreviews();
    const key = await send();
    service.files.clear();
    should((await get(`/${key}/picture`)).status).equal(410);
    service.fault('GET', FILE, replyWith(400, {}), 9);
    should((await get(`/${key}/mesh`)).status).equal(502);
    should((await get(`/${'0'.repeat(32)}/mesh`)).status).equal(404);
    should((await get(`/${'0'.repeat(32)}`)).status).equal(404);
  });

  it('end the download of an editor that was closed', async () => {
    await openWithPreviews();
    const key = await send();
    service.fault('GET', FILE, neverReply);
    const server = createServer(bench.httpAdmin).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = Object(server.address());
    const disconnection = new AbortController();
    const url = `http://127.0.0.1:${port}/model-processing/models/${key}/mesh`;
    const reply = fetch(url, { signal: disconnection.signal }).catch(() => undefined);
    await bench.until(() => service.count('GET', FILE) === 1);
    const count = service.sockets.size;
    disconnection.abort();
    await reply;
    await bench.until(() => service.sockets.size < count);
    server.close();
    server.closeAllConnections();
  });

  it('are not shown to pages of other sites, hosts and ports', async () => {
    await openWithPreviews();
    const key = await send();
    for (const path of ['', `/${key}`, `/${key}/picture`, `/${key}/mesh`]) {
      for (const site of ['cross-site', 'same-site'])
        should((await get(path, { 'Sec-Fetch-Site': site })).status).equal(403, `${site} ${path}`);
      for (const site of ['same-origin', 'none'])
        should((await get(path, { 'Sec-Fetch-Site': site })).status).equal(200, `${site} ${path}`);
      // Without HTTPS, browsers send no Sec-Fetch-Site to other machines.
      const host = 'node-red.lan:1880';
      for (const origin of ['http://other.lan', 'http://node-red.lan:8080', 'null'])
        should((await get(path, { Host: host, Origin: origin })).status).equal(403, `${origin} ${path}`);
      should((await get(path, { Host: host, Origin: `http://${host}` })).status).equal(200, path);
    }
  });

  it('have pictures from eight directions, each drawn when it is first requested, also for two editors', async () => {
    await openWithPreviews();
    const key = await send();
    const bodies = () =>
      service.requests
        .filter(({ method, path }) => method === 'POST' && path === '/web-api/operation/thumbnail')
        .map(({ body }) => JSON.parse(body));
    should(bodies().length).equal(1);
    const views = Array.from({ length: 8 }, (_, view) => `/${key}/picture?view=${view}`);
    const replies = await Promise.all([...views, ...views].map((path) => get(path)));
    for (const { status, headers } of replies) should([status, headers['content-type']]).deepEqual([200, 'image/png']);
    const drawn = bodies().slice(1);
    should(drawn.length).equal(8);
    const directions = drawn.map(({ cameraAngleX, cameraAngleZ }) => `${cameraAngleX} ${cameraAngleZ}`);
    should(new Set(directions).size).equal(8);
    for (const { inputId, priority } of drawn) should([inputId, priority]).deepEqual([bodies()[0].inputId, 'low']);
    for (const view of ['8', '-1', '1.5', 'top'])
      should((await get(`/${key}/picture?view=${view}`)).status).equal(404, view);
  });

  it('have a picture from a direction on the next request if its operation failed', async () => {
    await openWithPreviews();
    const key = await send();
    service.fault('POST', /operation\/thumbnail$/, replyWith(400, {}));
    should((await get(`/${key}/picture?view=3`)).status).equal(502);
    should((await get(`/${key}/picture?view=3`)).status).equal(200);
  });

  it('have no file once their service node is deleted', async () => {
    const flow = await openWithPreviews();
    const key = await send();
    await bench.deploy(flow.filter(({ id }) => id !== 'service'));
    should((await get(`/${key}/picture`)).status).equal(410);
    should((await get(`/${key}`)).body.summary.filename).equal('part.stl');
  });

  it('are announced to the editors by key, revision and verdict, in at most 300 bytes, until the node closes', async () => {
    const flow = await openWithPreviews();
    const key = await send();
    const first = bench.published.find(({ topic }) => topic === TOPIC);
    should(first).match({ retain: true, data: { id: key, verdict: '' } });
    should(Object.keys(first?.data ?? {})).deepEqual(['id', 'revision', 'verdict']);
    await bench.deploy(flow.map((node) => ({ ...node, name: 'renamed' })));
    const last = bench.published.findLast(({ topic }) => topic === TOPIC);
    should(last).match({ data: {}, retain: false });
    for (const { data } of bench.published) JSON.stringify(data).length.should.be.below(300);
  });

  it('are announced at most twice a second per node, with the newest last', async () => {
    await openWithPreviews();
    for (let count = 0; count < 20; count += 1) await send();
    const [newest] = (await get()).body.models;
    const sent = () => bench.published.filter(({ topic }) => topic === TOPIC);
    await bench.until(() => Object(sent().at(-1)?.data).revision === newest.revision);
    const times = sent().map(({ at }) => at);
    for (const [index, at] of times.slice(2).entries()) should(at - (times[index] ?? 0)).be.above(990);
  });
});

describe('the models of a local service that is not running', () => {
  let bench: FlowBench;
  const { open } = registerRemoteFlow((opened) => ({ bench } = opened));

  it('have no files, and looking at them does not start the service', async () => {
    const onTab = { z: 'tab', x: 100, y: 100 };
    await open([
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'service', type: 'model-processing-service', service: 'local' },
      { id: 'node', ...onTab, type: 'model-processing-preview', service: 'service', wires: [] },
    ]);
    const { body } = await helper.request().get('/model-processing/models');
    should(body).deepEqual({ models: [] });
    should((await helper.request().get('/model-processing/models/1/mesh')).status).equal(404);
    bench.findLogLines(/local service|listening/i).should.be.empty();
  });
});
