import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import type { FlowNode } from '../helpers/examples/example-file.js';
import { type ExampleNodeRed, startExampleNodeRed } from '../helpers/examples/example-node-red.js';
import type { DeployedExample } from '../helpers/examples/scenarios.js';
import { createTestEnvironment, type TestEnvironment } from '../helpers/examples/test-environment.js';

const ON_TAB = { z: 'tab', x: 100, y: 100 };
const SERVICE = { id: 'service', type: 'model-processing-service', service: 'local' };
const CUBE = '# a solid\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n';

/** A flow that uploads what the nodes `before` send to the node `upload`, and writes it to a file. */
function createFlow(before: FlowNode[], upload: object = {}): FlowNode[] {
  return [
    { id: 'tab', type: 'tab', label: 'core' },
    SERVICE,
    ...before,
    {
      ...ON_TAB,
      id: 'upload',
      type: 'model-processing-upload',
      service: 'service',
      folder: '',
      wires: [['download', 'uploaded']],
      ...upload,
    },
    { ...ON_TAB, id: 'uploaded', type: 'debug', name: 'uploaded', active: true, complete: 'true' },
    {
      ...ON_TAB,
      id: 'download',
      type: 'model-processing-download',
      service: 'service',
      target: 'file',
      folder: '',
      exists: 'overwrite',
      wires: [['result']],
    },
    { ...ON_TAB, id: 'catch', type: 'catch', wires: [['result']] },
    { ...ON_TAB, id: 'result', type: 'debug', name: 'result', active: true, complete: 'true' },
  ];
}

/** An inject node "start", and a function node that sends what `code` returns. */
const createFunction = (code: string): FlowNode[] => [
  { ...ON_TAB, id: 'start', type: 'inject', name: 'start', props: [], wires: [['function']] },
  { ...ON_TAB, id: 'function', type: 'function', func: code, outputs: 1, wires: [['upload']] },
];

describe('a value of a core node', () => {
  let environment: TestEnvironment;
  let nodeRed: ExampleNodeRed;
  let downloads: string;

  before(async () => {
    environment = await createTestEnvironment();
    nodeRed = await startExampleNodeRed(environment);
    downloads = path.join(environment.home, '.node-red/model-downloads');
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(nodeRed.log());
  });
  after(async () => {
    await nodeRed?.stop();
    await environment?.stop();
  });

  const assertUploaded = async (deployed: DeployedExample, description: string) => {
    const result = await deployed.nextMessage('result');
    if (result.error) throw new Error(`${description}: ${result.error.message}`);
    should(await readFile(result.payload, 'utf8')).equal(CUBE, description);
    return result;
  };

  it('keeps the name of a file of a form with any letters', async () => {
    const before = [
      { ...ON_TAB, id: 'in', type: 'http in', url: '/form', method: 'post', upload: true, wires: [['upload', 'ok']] },
      { ...ON_TAB, id: 'ok', type: 'http response', statusCode: '200', wires: [] },
    ];
    const deployed = await nodeRed.deploy(createFlow(before));
    for (const name of ['Größe 模型 é.obj', 'деталь.obj', 'Żółw 💡.obj', 'plain.obj']) {
      const body = new FormData();
      body.append('model', new File([CUBE], name));
      await fetch(`${nodeRed.url}/form`, { method: 'POST', body });
      const uploaded = await deployed.nextMessage('uploaded');
      should([uploaded.payload.filename, uploaded.model.filename]).deepEqual([name, name]);
      const { filename } = await assertUploaded(deployed, name);
      should(filename).equal(path.join(downloads, name));
      (await readdir(downloads)).should.containEql(name);
    }
  });

  it('is a form with several files, whose results a join node collects for the response', async () => {
    const before = [
      { ...ON_TAB, id: 'in', type: 'http in', url: '/forms', method: 'post', upload: true, wires: [['upload']] },
      { ...ON_TAB, id: 'join', type: 'join', mode: 'auto', wires: [['names']] },
      {
        ...ON_TAB,
        id: 'names',
        type: 'function',
        func: 'msg.payload = msg.payload.map((file) => file.filename); return msg;',
        outputs: 1,
        wires: [['response']],
      },
      { ...ON_TAB, id: 'response', type: 'http response', wires: [] },
    ];
    await nodeRed.deploy(createFlow(before, { allFormFiles: true, wires: [['join']] }));
    const names = ['a.obj', 'ä.obj', '模.obj'];
    const body = new FormData();
    for (const name of names) body.append('model', new File([CUBE], name));
    const reply = await fetch(`${nodeRed.url}/forms`, { method: 'POST', body });
    should(await reply.json()).deepEqual(names);
  });

  it('is the content of a file if a function node created it', async () => {
    for (const expression of [
      'new Uint8Array(bytes)',
      'new Uint8Array(bytes).buffer',
      'new DataView(new Uint8Array(bytes).buffer)',
      'JSON.parse(JSON.stringify(bytes))',
      '({ originalname: "cube.obj", buffer: new Uint8Array(bytes).buffer })',
      '[{ originalname: "cube.obj", buffer: JSON.parse(JSON.stringify(bytes)) }]',
    ]) {
      const code = `const bytes = Buffer.from(${JSON.stringify(CUBE)}); return { payload: ${expression}, filename: 'cube.obj' };`;
      const deployed = await nodeRed.deploy(createFlow(createFunction(code)));
      await deployed.triggerInject('start');
      await assertUploaded(deployed, expression);
    }
  });

  it('is a path if exec printed it, with its line end', async () => {
    const file = path.join(environment.home, 'printed.obj');
    await writeFile(file, CUBE);
    for (const command of [`echo ${file}`, `printf '%s\\r\\n' ${file}`, `printf ' %s \\t' ${file}`]) {
      const before = [
        { ...ON_TAB, id: 'start', type: 'inject', name: 'start', props: [], wires: [['exec']] },
        { ...ON_TAB, id: 'exec', type: 'exec', command, addpay: '', useSpawn: 'false', wires: [['upload'], [], []] },
      ];
      const deployed = await nodeRed.deploy(createFlow(before, { folder: '/' }));
      await deployed.triggerInject('start');
      await assertUploaded(deployed, command);
    }
  });
});
