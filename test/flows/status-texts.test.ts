import { rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import 'should';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../helpers/node-red-process.js';
import { eventually } from '../helpers/processes.js';
import { createUserDirectory } from '../helpers/user-directory.js';

const ON_TAB = { z: 'tab', x: 100, y: 100 };
const OFF = {
  open: 'OFF\n4 3 0\n0 0 0\n10 0 0\n0 10 0\n0 0 10\n3 0 2 1\n3 0 1 3\n3 1 2 3\n',
  tiny: 'OFF\n4 4 0\n0 0 0\n.1 0 0\n0 .1 0\n0 0 .1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n',
  letter: 'Dear Sir or Madam',
};

/**
 * Replies to `GET /run?file=…` once the import node has sent or failed, with its error if there is one, and to
 * `GET /status` with its last status.
 */
const FLOW = [
  { id: 'tab', type: 'tab', label: 'test' },
  { id: 'service', type: 'model-processing-service', service: 'local' },
  { id: 'in', ...ON_TAB, type: 'http in', url: '/run', method: 'get', wires: [['upload']] },
  {
    ...{ id: 'upload', ...ON_TAB, type: 'model-processing-upload', service: 'service', wires: [['import']] },
    ...{ source: 'req.query.file', sourceType: 'msg', folder: os.tmpdir() },
  },
  {
    ...{ id: 'import', ...ON_TAB, type: 'model-processing-import', service: 'service', send: 'finished' },
    wires: [['reply']],
  },
  { id: 'catch', ...ON_TAB, type: 'catch', scope: null, wires: [['reply']] },
  {
    ...{ id: 'reply', ...ON_TAB, type: 'change', wires: [['response']] },
    rules: [{ t: 'set', p: 'payload', pt: 'msg', to: '{"error": error}', tot: 'jsonata' }],
  },
  { id: 'status', ...ON_TAB, type: 'status', scope: ['import'], wires: [['remember']] },
  {
    ...{ id: 'remember', ...ON_TAB, type: 'change', wires: [[]] },
    rules: [{ t: 'set', p: 'status', pt: 'flow', to: 'status', tot: 'msg' }],
  },
  { id: 'status-in', ...ON_TAB, type: 'http in', url: '/status', method: 'get', wires: [['recall']] },
  {
    ...{ id: 'recall', ...ON_TAB, type: 'change', wires: [['response']] },
    rules: [{ t: 'set', p: 'payload', pt: 'msg', to: '{"status": $flowContext("status")}', tot: 'jsonata' }],
  },
  { id: 'response', ...ON_TAB, type: 'http response', wires: [] },
];

describe('the status of a node in Node-RED', () => {
  let userDir: string;
  let nodeRed: NodeRedProcess;

  const run = async (name: keyof typeof OFF): Promise<{ error?: { code: string; message: string } }> => {
    const file = path.join(userDir, `${name}.off`);
    writeFileSync(file, OFF[name]);
    return (await fetch(`${nodeRed.url}/run?file=${encodeURIComponent(file)}`)).json();
  };
  /** Waits until a status has this text. Each test expects another one. Returns the status. */
  const untilStatus = (text: string): Promise<object> =>
    eventually(`the status "${text}"`, async () => {
      const { status } = await (await fetch(`${nodeRed.url}/status`)).json();
      return status?.text === text ? status : undefined;
    });

  before(async () => {
    userDir = createUserDirectory(FLOW);
    nodeRed = await startNodeRedProcess(userDir, await findFreePort());
  });
  after(async () => {
    await nodeRed?.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  it('is a yellow ring with the number of holes for a model that is not solid', async () => {
    await run('open');
    (await untilStatus('open: 1 hole')).should.containEql({ fill: 'yellow', shape: 'ring' });
  });

  it('is a yellow ring with the reason for a solid model of an implausible size', async () => {
    await run('tiny');
    (await untilStatus('solid: check unit')).should.containEql({ fill: 'yellow', shape: 'ring' });
  });

  it('says what failed; the error leads with the name of the file, and its code is separate', async () => {
    const { error } = await run('letter');
    (await untilStatus('import failed')).should.containEql({ fill: 'red', shape: 'ring' });
    (error?.code ?? '').should.equal('OPERATION_FAILED');
    (error?.message ?? '').should.match(/^letter\.off: import failed: [^(]*\([0-9a-f-]{36}\)$/);
  });
});
