import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { exampleNames, readExample } from '../helpers/examples/example-file.js';
import { type ExampleNodeRed, startExampleNodeRed } from '../helpers/examples/example-node-red.js';
import { SCENARIOS } from '../helpers/examples/scenarios.js';
import { createTestEnvironment, type TestEnvironment } from '../helpers/examples/test-environment.js';

describe('the examples, each imported and deployed as it is', function () {
  this.timeout(120_000);
  let world: TestEnvironment;
  let nodeRed: ExampleNodeRed;

  before(async () => {
    world = await createTestEnvironment();
    nodeRed = await startExampleNodeRed(world);
  });

  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(nodeRed.log());
  });

  after(async () => {
    await nodeRed?.stop();
    await world?.stop();
  });

  for (const [name, trial] of Object.entries(SCENARIOS))
    it(`"${name}" does what its comment says`, async () => {
      const flow = await readExample(name);
      should(flow.find(({ type }) => type === 'comment')).be.ok();
      await trial(await nodeRed.deploy(flow));
    });

  it('have a trial each', async () => {
    new Set(await exampleNames()).should.deepEqual(new Set(Object.keys(SCENARIOS)));
  });

  it('stand in the recipes of the README', async () => {
    const readme = await readFile('README.md', 'utf8');
    for (const name of Object.keys(SCENARIOS)) readme.should.containEql(`| *${name}*`);
  });

  it('"Convert a folder" makes the folder on its first start, and works at once', async () => {
    await rm(path.join(world.home, 'models-to-convert'), { recursive: true });
    await SCENARIOS['Convert a folder']?.(await nodeRed.deploy(await readExample('Convert a folder')));
  });

  it('"Callback instead of polling" finishes by callbacks alone where the service is never asked by itself', async () => {
    const name = 'Callback instead of polling';
    const patient = { callbackUrl: nodeRed.url, pollMin: 3600, pollMax: 3600 };
    const flow = (await readExample(name)).map((node) => (node.callbackUrl ? { ...node, ...patient } : node));
    await SCENARIOS[name]?.(await nodeRed.deploy(flow));
  });

  it('"Slice and send to a printer" says so where the slicer is absent', async () => {
    const env = [{ name: 'SLICER', value: 'no-such-slicer', type: 'str' }];
    const flow = (await readExample('Slice and send to a printer')).map((node) => (node.env ? { ...node, env } : node));
    const { triggerInject: press, nextMessage: arrived } = await nodeRed.deploy(flow);
    await press('slice the bracket');
    (await arrived('not sliced')).payload.should.match(/There is no slicer "no-such-slicer".*Install PrusaSlicer/);
  });
});
