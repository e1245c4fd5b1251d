import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../helpers/node-red-process.js';
import { createUserDirectory } from '../helpers/user-directory.js';

const ON_TAB = { z: 'tab', x: 100, y: 100 };
const OFF = {
  open: 'OFF\n4 3 0\n0 0 0\n10 0 0\n0 10 0\n0 0 10\n3 0 2 1\n3 0 1 3\n3 1 2 3\n',
  tiny: 'OFF\n4 4 0\n0 0 0\n.1 0 0\n0 .1 0\n0 0 .1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n',
  letter: 'Dear Sir or Madam',
};

/** Replies to `GET /run?file=…` with the last status of the import node, and with its error, if there is one. */
const FLOW = [
  { id: 'tab', type: 'tab', label: 'test' },
  { id: 'service', type: 'model-processing-service', service: 'local' },
  { id: 'in', ...ON_TAB, type: 'http in', url: '/run', method: 'get', wires: [['upload']] },
  {
    ...{ id: 'upload', ...ON_TAB, type: 'model-processing-upload', service: 'service', wires: [['import']] },
    ...{ source: 'req.query.file', sourceType: 'msg' },
  },
  {
    ...{ id: 'import', ...ON_TAB, type: 'model-processing-import', service: 'service', send: 'finished' },
    wires: [['reply']],
  },
  { id: 'catch', ...ON_TAB, type: 'catch', scope: null, wires: [['reply']] },
  { id: 'status', ...ON_TAB, type: 'status', scope: ['import'], wires: [['remember']] },
  {
    ...{ id: 'remember', ...ON_TAB, type: 'change', wires: [[]] },
    rules: [{ t: 'set', p: 'status', pt: 'flow', to: 'status', tot: 'msg' }],
  },
  {
    ...{ id: 'reply', ...ON_TAB, type: 'delay', pauseType: 'delay', timeout: '100', timeoutUnits: 'milliseconds' },
    wires: [['build']],
  },
  {
    ...{ id: 'build', ...ON_TAB, type: 'change', wires: [['response']] },
    rules: [
      { t: 'set', p: 'payload', pt: 'msg', to: '{"status": $flowContext("status"), "error": error}', tot: 'jsonata' },
    ],
  },
  { id: 'response', ...ON_TAB, type: 'http response', wires: [] },
];

describe('the status of a node in Node-RED', () => {
  let userDir: string;
  let nodeRed: NodeRedProcess;

  const run = async (
    name: keyof typeof OFF,
  ): Promise<{ status: object; error?: { code: string; message: string } }> => {
    const file = path.join(userDir, `${name}.off`);
    writeFileSync(file, OFF[name]);
    return (await fetch(`${nodeRed.url}/run?file=${encodeURIComponent(file)}`)).json();
  };

  before(async () => {
    userDir = createUserDirectory(FLOW);
    nodeRed = await startNodeRedProcess(userDir, await findFreePort());
  });
  after(async () => {
    await nodeRed?.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  it('is a yellow ring with the number of holes for a model that is not solid', async () => {
    const { status } = await run('open');
    status.should.containEql({ fill: 'yellow', shape: 'ring', text: 'open: 1 hole' });
  });

  it('is a yellow ring with the reason for a solid model of an implausible size', async () => {
    const { status } = await run('tiny');
    status.should.containEql({ fill: 'yellow', shape: 'ring', text: 'solid: check unit' });
  });

  it('says what failed; the error leads with the name of the file, and its code is separate', async () => {
    const { status, error } = await run('letter');
    status.should.containEql({ fill: 'red', shape: 'ring', text: 'import failed' });
    (error?.code ?? '').should.equal('OPERATION_FAILED');
    (error?.message ?? '').should.match(/^letter\.off: import failed: [^(]*\([0-9a-f-]{36}\)$/);
  });
});
