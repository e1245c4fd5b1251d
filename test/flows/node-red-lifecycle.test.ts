import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import { writeBumpySphere } from '../helpers/bumpy-sphere.js';
import { type CheckoutCopy, copyCheckout } from '../helpers/checkout-copy.js';
import { findFreePort } from '../helpers/node-red-process.js';
import {
  eventually,
  findDescendants,
  findKernelProcesses,
  findServiceProcess,
  isRunning,
  type RunningProcess,
} from '../helpers/processes.js';

interface FlowNode {
  id: string;
  type: string;
  [setting: string]: unknown;
}

describe('Node-RED during a repair with the local service', () => {
  let checkout: CheckoutCopy;
  let userDir: string;
  let url: string;
  let nodeRed: ChildProcess;
  let flow: FlowNode[];

  before(async () => {
    checkout = await copyCheckout();
    userDir = path.join(checkout.folder, '.node-red');
    const model = path.join(checkout.folder, 'sphere.stl');
    await writeBumpySphere(model, 300_000);
    flow = (JSON.parse(await readFile('examples/Repair a model.json', 'utf8')) as FlowNode[]).map((node) =>
      node.type === 'model-processing-upload' ? { ...node, source: model, sourceType: 'str' } : node,
    );
  });

  after(() => checkout.remove());

  beforeEach(async () => {
    // In a store that has the results of an earlier test, the repair would not run.
    await rm(userDir, { recursive: true, force: true });
    await mkdir(userDir);
    await writeFile(path.join(userDir, 'flows.json'), JSON.stringify(flow));
    await start();
  });

  afterEach(async () => {
    if (nodeRed.exitCode !== null || nodeRed.signalCode !== null) return;
    const processes = findDescendants(pid());
    const ended = once(nodeRed, 'exit');
    nodeRed.kill('SIGTERM');
    await ended;
    // The service stops after Node-RED, and writes to its folder until then.
    await untilEnded(processes);
  });

  const start = async () => {
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    const script = path.join(checkout.folder, 'scripts/start.mjs');
    const env = { ...process.env, PORT: String(port) };
    nodeRed = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    nodeRed.stdout?.on('data', (chunk) => (output += chunk));
    await eventually('the editor is available', () => output.includes('The editor is at'));
  };

  const inject = async () => {
    const id = flow.find(({ type }) => type === 'inject')?.id;
    (await fetch(`${url}/inject/${id}`, { method: 'POST' })).ok.should.be.true();
  };

  const hasDownload = async (): Promise<boolean> => {
    const names = await readdir(path.join(userDir, 'model-downloads')).catch((): string[] => []);
    return names.some((name) => !name.startsWith('.')); // the name of a partial file begins with a dot
  };

  const pid = () => nodeRed.pid ?? 0;

  const untilEnded = (processes: RunningProcess[]) =>
    eventually('no process remains', () => processes.every((entry) => !isRunning(entry.pid)));

  /** Waits until a message waits for the repair, which takes several seconds. Returns the descendants of Node-RED. */
  const untilRepairRuns = async () => {
    const readJournal = () => readFile(path.join(userDir, 'model-processing-waits.jsonl'), 'utf8').catch(() => '');
    await eventually('a message waits for the repair', async () =>
      (await readJournal()).includes('"operation":"repair"'),
    );
    await eventually('a kernel process runs', () => findKernelProcesses(pid()).length > 0);
    return findDescendants(pid());
  };

  it('leaves no process after it was killed, and repairs a model after the next start', async () => {
    await inject();
    const processes = await untilRepairRuns();
    nodeRed.kill('SIGKILL');
    await untilEnded(processes);
    await start();
    await inject();
    await eventually('a repaired model is there', hasDownload);
  });

  it('continues the repair after a redeploy, in the same service', async () => {
    await inject();
    await untilRepairRuns();
    const service = findServiceProcess(pid());
    const headers = { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': 'full' };
    const deployed = await fetch(`${url}/flows`, { method: 'POST', headers, body: JSON.stringify(flow) });
    deployed.ok.should.be.true();
    await eventually('the repaired model is there', hasDownload);
    findServiceProcess(pid())?.pid.should.equal(service?.pid);
  });
});
