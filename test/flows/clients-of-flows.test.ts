import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type FlowNode, listExampleNames, readExample } from '../helpers/examples/example-file.js';
import { type ExampleNodeRed, startExampleNodeRed } from '../helpers/examples/example-node-red.js';
import type { DeployedExample } from '../helpers/examples/scenarios.js';
import { createTestEnvironment, type TestEnvironment } from '../helpers/examples/test-environment.js';
import { createPathRequests, listSpellings } from './support/path-requests.js';

const SECRET = '# the secret\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n';
const LOCAL = { id: 'service', type: 'model-processing-service', service: 'local' };
const ON_TAB = { z: 'tab', x: 100, y: 100 };

// An endpoint that accepts files reads no text.
const ENDPOINTS = [
  { method: 'get', url: '/query', upload: false },
  { method: 'post', url: '/form', upload: true },
  { method: 'post', url: '/body', upload: false },
];

/** A flow that sends back what a client has it upload. */
function createEchoFlow(upload: object): FlowNode[] {
  const endpoints = ENDPOINTS.map(({ method, url, upload: isForm }) => {
    return { ...ON_TAB, id: url, type: 'http in', url, method, upload: isForm, wires: [['upload']] };
  });
  return [
    { id: 'tab', type: 'tab', label: 'echo' },
    LOCAL,
    ...endpoints,
    { ...ON_TAB, id: 'upload', type: 'model-processing-upload', service: 'service', wires: [['download']], ...upload },
    {
      ...ON_TAB,
      id: 'download',
      type: 'model-processing-download',
      service: 'service',
      folder: '',
      wires: [['reply']],
    },
    { ...ON_TAB, id: 'catch', type: 'catch', wires: [['reason']] },
    {
      ...ON_TAB,
      id: 'reason',
      type: 'change',
      rules: [
        { t: 'set', p: 'payload', pt: 'msg', to: 'error.message', tot: 'msg' },
        { t: 'set', p: 'statusCode', pt: 'msg', to: '400', tot: 'num' },
      ],
      wires: [['reply']],
    },
    { ...ON_TAB, id: 'reply', type: 'http response', wires: [] },
  ];
}

describe('a client of a flow', () => {
  let environment: TestEnvironment;
  let nodeRed: ExampleNodeRed;
  let secret: string;

  before(async () => {
    environment = await createTestEnvironment();
    nodeRed = await startExampleNodeRed(environment);
    secret = path.join(environment.home, 'secret.obj');
    await writeFile(secret, SECRET);
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(nodeRed.log());
  });
  after(async () => {
    await nodeRed?.stop();
    await environment?.stop();
  });

  /** Returns the status and the text of a reply, without the path that was sent and without ids. */
  const read = async (reply: Response, file: string): Promise<string> => {
    const text = Buffer.from(await reply.arrayBuffer()).toString('latin1');
    text.should.not.containEql('the secret').and.not.containEql('solid ').and.not.containEql('root:');
    const names = [file, encodeURIComponent(file), encodeURI(file), path.resolve(file), path.basename(file)];
    const anonymous = names.reduce((rest, name) => rest.replaceAll(name, '…'), text);
    return `${reply.status} ${anonymous.replace(/[0-9a-f-]{8,}/g, '…')}`;
  };

  /** Sends paths of a secret file and of a missing one in all ways. Asserts that the replies are the same. */
  const assertNothingTold = async (url: string, method: string, { mustFail = false } = {}) => {
    const userDir = path.join(environment.home, '.node-red');
    const settings = path.join(userDir, 'settings.js');
    const pairs = [
      ...listSpellings(secret, path.join(environment.home, 'missing.obj')),
      ...listSpellings(settings, path.join(userDir, 'missing.js')),
    ];
    for (const [file, missing] of pairs) {
      const requests = createPathRequests(file);
      const controls = createPathRequests(missing);
      for (const [index, { description, send }] of requests.entries()) {
        const [reply, control] = [await send(url, method), await controls[index]?.send(url, method)];
        const name = `${method} ${url} with ${description} of ${file}`;
        if (mustFail) reply.status.should.be.aboveOrEqual(400, name);
        if (control) should(await read(reply, file)).equal(await read(control, missing), name);
      }
    }
  };

  for (const [state, upload] of [
    ['as the editor creates them', { folder: '' }],
    ['as they were saved before they had a folder', {}],
    ['with a folder elsewhere', { folder: '/usr/share' }],
  ] as const)
    it(`reads no file by a path, with the nodes ${state}`, async () => {
      await nodeRed.deploy(createEchoFlow(upload));
      for (const { url, method } of ENDPOINTS)
        await assertNothingTold(`${nodeRed.url}${url}`, method.toUpperCase(), { mustFail: true });
    });

  it('reads no file by a path in an example with an HTTP endpoint', async () => {
    const urls: string[] = [];
    for (const name of await listExampleNames()) {
      const flow = await readExample(name);
      const endpoints = flow.filter(({ type }) => type === 'http in');
      if (endpoints.length === 0) continue;
      await nodeRed.deploy(flow);
      for (const { url, method } of endpoints) {
        urls.push(`${method} ${url}`);
        // One of the requests appends the path to the address: as the id of a job.
        const address = `${nodeRed.url}${String(url)
          .replace(/\/:id$/, '')
          .replace(':id', '1')}`;
        await assertNothingTold(address, String(method).toUpperCase());
      }
    }
    const jobs = ['post /models/jobs', 'get /models/jobs/:id', 'get /models/jobs/:id/result'];
    should(new Set(urls)).deepEqual(new Set([...jobs, 'post /models/repair', 'get /quote', 'post /quote']));
  });

  describe('of the example "Dashboard 2.0"', () => {
    const FILE_INPUT = 'ui-file-input';
    let deployed: DeployedExample;

    // Dashboard sends the next nodes any message of a browser, and adds `_client`. The body of a request stands for it.
    const replaceWidgets = (flow: FlowNode[]): FlowNode[] => [
      ...flow.flatMap((node) => {
        if (node.type === FILE_INPUT)
          return [
            {
              ...ON_TAB,
              z: node.z,
              id: 'browser',
              type: 'http in',
              url: '/widget',
              method: 'post',
              wires: [[node.id, 'ok']],
            },
            { ...ON_TAB, z: node.z, id: 'ok', type: 'http response', statusCode: '200', wires: [] },
            { ...node, type: 'function', outputs: 1, func: TO_MESSAGE },
          ];
        if (node.type === 'ui-template')
          return [{ ...node, type: 'debug', name: 'page', active: true, complete: 'true' }];
        return node.type.startsWith('ui-') ? [] : [node];
      }),
    ];
    const TO_MESSAGE = `const { bytes, ...message } = msg.payload;
      return { ...message, ...(bytes && { payload: Buffer.from(bytes) }), _client: { socketId: '1' } };`;

    const send = async (message: object) => {
      const body = JSON.stringify(message);
      await fetch(`${deployed.url}/widget`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
      return deployed.nextMessage('page');
    };

    before(async () => {
      deployed = await nodeRed.deploy(replaceWidgets(await readExample('Dashboard 2.0/Repair and view a model')));
    });

    it('is told the same for every message without the bytes of a file', async () => {
      for (const file of listSpellings(secret, path.join(environment.home, 'missing.obj')).flat()) {
        const fake = { path: file, originalname: 'x.obj', name: 'x.obj' };
        for (const message of [
          { payload: file, file: fake, filename: 'x.obj' },
          { payload: fake },
          { payload: [fake], req: { files: [fake] } },
          { payload: {}, req: { files: [{ ...fake, buffer: [35] }] } },
          { payload: { type: 'Buffer', data: [35] }, file: fake },
          { payload: { payload: file } },
          { file: fake, source: file, model: { filename: file } },
        ]) {
          const { payload, _client } = await send(message);
          should(payload).deepEqual({ error: 'No file was sent. Choose a model, then press Upload.' });
          should(_client).deepEqual({ socketId: '1' });
        }
      }
    });

    it('gets the repaired file, whatever else is in the message', async () => {
      const more = { cancel: true, reset: true, filename: secret, payload: secret, req: {}, res: {} };
      const { payload } = await send({ bytes: SECRET, file: { name: 'mine.obj', path: '/etc/passwd' }, ...more });
      should(payload).deepEqual({ inProgress: 'mine.obj' });
      const { payload: reply } = await deployed.nextMessage('page');
      should(reply).have.properties({ filename: 'mine.stl' });
      reply.file.length.should.equal(84 + 4 * 50);
    });
  });
});
