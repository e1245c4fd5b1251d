import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { writeBumpySphere } from '../helpers/bumpy-sphere.js';
import { copyCheckout } from '../helpers/checkout-copy.js';
import { countOf, sample } from '../helpers/counts.js';
import { eventually, findServiceProcess } from '../helpers/processes.js';

interface DemoRun {
  child: ChildProcess;
  output: () => string;
  exitCode: Promise<number | null>;
}

const EXAMPLE = 'examples/Repair a model.json';

describe('npm run demo', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'demo-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const startDemo = (args: string[] = [], checkout = '.'): DemoRun => {
    const script = path.resolve(checkout, 'scripts/demo.mjs');
    const env = { ...process.env, INIT_CWD: folder };
    const child = spawn(process.execPath, [script, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    return { child, output: () => output, exitCode: once(child, 'close').then(([code]) => code) };
  };

  it('sends the bundled bracket through all nodes of the flow and writes the repaired model', async () => {
    const run = startDemo();
    should(await run.exitCode).equal(0, run.output());
    const nodes = [...run.output().matchAll(/^ +[\d.]+ s {2}(\w+)/gm)].map(([, node]) => node);
    nodes.should.deepEqual(['inject', 'upload', 'import', 'wait', 'repair', 'wait', 'export', 'wait', 'download']);
    run.output().should.match(/verdict: solid/);
    (await readdir(folder)).should.deepEqual(['bracket-repaired.stl']);
  });

  it('processes the given file to the given format and path, and does not modify the file', async () => {
    const input = path.join(folder, 'part.stl');
    await writeFile(input, await readFile('samples/bracket.stl'));
    const run = startDemo(['part.stl', '--to', 'obj', '-o', 'out.obj']);
    should(await run.exitCode).equal(0, run.output());
    (await readdir(folder)).sort().should.deepEqual(['out.obj', 'part.stl']);
    (await readFile(path.join(folder, 'out.obj'), 'utf8')).should.match(/^f \d+ \d+ \d+$/m);
    (await readFile(input)).equals(await readFile('samples/bracket.stl')).should.be.true();
  });

  it('fails if the program of the service is missing, and names it', async () => {
    const checkout = await copyCheckout();
    try {
      await rename(path.join(checkout.folder, 'dist/src/cli.js'), path.join(checkout.folder, 'dist/src/removed.js'));
      const run = startDemo([], checkout.folder);
      should(await run.exitCode).not.equal(0);
      run.output().should.match(/program .*cli\.js is missing\. Reinstall the package\./);
      (await readdir(folder)).should.be.empty();
    } finally {
      await checkout.remove();
    }
  });

  const lacking = ['import', 'repair', 'export', 'wait', 'download'];
  for (const name of sample(lacking, countOf('nodes that a flow lacks')))
    it(`fails if the flow lacks a ${name} node`, async () => {
      const flow: { id: string; type: string }[] = JSON.parse(await readFile(EXAMPLE, 'utf8'));
      const removed = flow.find(({ type }) => type === `model-processing-${name}`);
      const flowFile = path.join(folder, 'flow.json');
      await writeFile(flowFile, JSON.stringify(flow.filter((node) => node !== removed)));
      const run = startDemo(['--flow', flowFile]);
      should(await run.exitCode).not.equal(0, run.output());
      run.output().should.match(/demo: /);
      (await readdir(folder)).should.deepEqual(['flow.json']);
    });

  it('succeeds if the service is killed once during the repair', async () => {
    await writeBumpySphere(path.join(folder, 'sphere.stl'), 200_000);
    const run = startDemo(['sphere.stl']);
    await eventually('the repair has started', () => run.output().includes('repair started'));
    const service = await eventually('the service is running', () => findServiceProcess(run.child.pid ?? 0));
    process.kill(service.pid, 'SIGKILL');
    should(await run.exitCode).equal(0, run.output());
    (await stat(path.join(folder, 'sphere-repaired.stl'))).size.should.be.above(1_000_000);
  });
});
