import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { writeBumpySphere } from '../helpers/bumpy-sphere.js';
import { copyCheckout } from '../helpers/checkout-copy.js';
import { eventually, serviceOf } from '../helpers/processes.js';

interface DemoRun {
  child: ChildProcess;
  output: () => string;
  exitCode: Promise<number | null>;
}

const EXAMPLE = 'examples/Repair a model.json';

describe('npm run demo', function () {
  this.timeout(120_000);
  let here: string;

  beforeEach(async () => {
    here = await mkdtemp(path.join(os.tmpdir(), 'demo-'));
  });

  afterEach(() => rm(here, { recursive: true, force: true }));

  const demo = (args: string[] = [], checkout = '.'): DemoRun => {
    const script = path.resolve(checkout, 'scripts/demo.mjs');
    const env = { ...process.env, INIT_CWD: here };
    const child = spawn(process.execPath, [script, ...args], { cwd: here, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    return { child, output: () => output, exitCode: once(child, 'close').then(([code]) => code) };
  };

  it('sends the bundled bracket through every node of the flow and writes it repaired', async () => {
    const run = demo();
    should(await run.exitCode).equal(0, run.output());
    const nodes = [...run.output().matchAll(/^ +[\d.]+ s {2}(\w+)/gm)].map(([, node]) => node);
    nodes.should.deepEqual(['inject', 'upload', 'import', 'wait', 'repair', 'wait', 'export', 'wait', 'download']);
    run.output().should.match(/verdict: solid/);
    (await readdir(here)).should.deepEqual(['bracket-repaired.stl']);
  });

  it('takes any file, format and target, and leaves the file as it was', async () => {
    const input = path.join(here, 'part.stl');
    await writeFile(input, await readFile('examples/models/bracket.stl'));
    const run = demo(['part.stl', '--to', 'obj', '-o', 'out.obj']);
    should(await run.exitCode).equal(0, run.output());
    (await readdir(here)).sort().should.deepEqual(['out.obj', 'part.stl']);
    (await readFile(path.join(here, 'out.obj'), 'utf8')).should.match(/^f \d+ \d+ \d+$/m);
    (await readFile(input)).equals(await readFile('examples/models/bracket.stl')).should.be.true();
  });

  it('fails with LOCAL_UNAVAILABLE where the program of the service is missing', async () => {
    const checkout = await copyCheckout();
    try {
      await rename(path.join(checkout.folder, 'dist/src/cli.js'), path.join(checkout.folder, 'dist/src/taken-out.js'));
      const run = demo([], checkout.folder);
      should(await run.exitCode).not.equal(0);
      run.output().should.match(/LOCAL_UNAVAILABLE/);
      (await readdir(here)).should.be.empty();
    } finally {
      await checkout.remove();
    }
  });

  for (const taken of ['import', 'repair', 'export', 'wait', 'download'])
    it(`fails where a ${taken} node is taken out of the flow`, async () => {
      const flow: { id: string; type: string }[] = JSON.parse(await readFile(EXAMPLE, 'utf8'));
      const gone = flow.find(({ type }) => type === `model-processing-${taken}`);
      const flowFile = path.join(here, 'flow.json');
      await writeFile(flowFile, JSON.stringify(flow.filter((node) => node !== gone)));
      const run = demo(['--flow', flowFile]);
      should(await run.exitCode).not.equal(0, run.output());
      run.output().should.match(/demo: /);
      (await readdir(here)).should.deepEqual(['flow.json']);
    });

  it('still succeeds where the service is killed once in the middle of the repair', async () => {
    await writeBumpySphere(path.join(here, 'sphere.stl'), 200_000);
    const run = demo(['sphere.stl']);
    await eventually('the repair starts', () => run.output().includes('repair started'));
    const service = await eventually('the service runs', () => serviceOf(run.child.pid ?? 0));
    process.kill(service.pid, 'SIGKILL');
    should(await run.exitCode).equal(0, run.output());
    (await stat(path.join(here, 'sphere-repaired.stl'))).size.should.be.above(1_000_000);
  });
});
