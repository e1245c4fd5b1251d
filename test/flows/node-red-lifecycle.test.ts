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
} from '../helpers/processes.js';

interface FlowNode {
  id: string;
  type: string;
  [setting: string]: unknown;
}

describe('Node-RED during a repair with the local service', () => {
  let checkout: CheckoutCopy;
  let url: string;
  let nodeRed: ChildProcess;
  let flow: FlowNode[];

  before(async () => {
    checkout = await copyCheckout();
    const model = path.join(checkout.folder, 'sphere.stl');
    await writeBumpySphere(model, 300_000);
    flow = (JSON.parse(await readFile('examples/Repair a model.json', 'utf8')) as FlowNode[]).map((node) =>
      node.type === 'model-processing-upload' ? { ...node, source: model, sourceType: 'str' } : node,
    );
  });

  after(() => checkout.remove());

  beforeEach(async () => {
    const userDir = path.join(checkout.folder, '.node-red');
    await mkdir(userDir, { recursive: true });
    // In a store that has the results of an earlier test, the repair would not run.
    await rm(path.join(userDir, 'model-processing'), { recursive: true, force: true });
    await writeFile(path.join(userDir, 'flows.json'), JSON.stringify(flow));
    await start();
  });

  afterEach(async () => {
    if (nodeRed.exitCode !== null || nodeRed.signalCode !== null) return;
    const ended = once(nodeRed, 'exit');
    nodeRed.kill('SIGTERM');
    await ended;
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

  const downloads = (): Promise<string[]> =>
    readdir(path.join(checkout.folder, '.node-red/model-downloads')).catch(() => []);

  const pid = () => nodeRed.pid ?? 0;

  /** Waits until a job is running and another kernel process is ready. Returns the descendants of Node-RED. */
  const untilJobRuns = async () => {
    const kernelPids = new Set<number>();
    await eventually('a job is running', () => {
      for (const kernel of findKernelProcesses(pid())) kernelPids.add(kernel.pid);
      return kernelPids.size > 1;
    });
    return findDescendants(pid());
  };

  it('leaves no process 5 s after it was killed, and repairs a model after the next start', async () => {
    await inject();
    const processes = await untilJobRuns();
    nodeRed.kill('SIGKILL');
    await eventually('no process remains', () => processes.every((entry) => !isRunning(entry.pid)), 5000);
    const before = (await downloads()).length;
    await start();
    await inject();
    await eventually('the repaired model is there', async () => (await downloads()).length === before + 1);
  });

  it('continues the repair after a redeploy, in the same service', async () => {
    const before = (await downloads()).length;
    await inject();
    await untilJobRuns();
    const service = findServiceProcess(pid());
    const headers = { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': 'full' };
    const deployed = await fetch(`${url}/flows`, { method: 'POST', headers, body: JSON.stringify(flow) });
    deployed.ok.should.be.true();
    await eventually('the repaired model is there', async () => (await downloads()).length === before + 1);
    findServiceProcess(pid())?.pid.should.equal(service?.pid);
  });
});
