import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { listAllExampleNames, listExampleNames, readExample } from '../helpers/examples/example-file.js';
import { type ExampleNodeRed, startExampleNodeRed } from '../helpers/examples/example-node-red.js';
import { SCENARIOS } from '../helpers/examples/scenarios.js';
import { createTestEnvironment, type TestEnvironment } from '../helpers/examples/test-environment.js';

describe('the examples, deployed as imported', () => {
  let environment: TestEnvironment;
  let nodeRed: ExampleNodeRed;

  before(async () => {
    environment = await createTestEnvironment();
    nodeRed = await startExampleNodeRed(environment);
  });

  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(nodeRed.log());
  });

  after(async () => {
    await nodeRed?.stop();
    await environment?.stop();
  });

  for (const [name, scenario] of Object.entries(SCENARIOS))
    it(`"${name}" works as its comment node describes`, async () => {
      const flow = await readExample(name);
      should(flow.find(({ type }) => type === 'comment')).be.ok();
      await scenario(await nodeRed.deploy(flow));
    });

  it('have one scenario each', async () => {
    new Set(await listExampleNames()).should.deepEqual(new Set(Object.keys(SCENARIOS)));
  });

  it('are the only files in their folders, as the import dialog also lists subfolders without flows', async () => {
    const folders = { examples: Object.keys(SCENARIOS).length, 'examples/Dashboard 2.0': 1 };
    for (const [folder, count] of Object.entries(folders)) {
      const entries = await readdir(folder, { withFileTypes: true });
      entries.filter((entry) => entry.isFile() && entry.name.endsWith('.json')).length.should.equal(count, folder);
      const others = entries.filter((entry) => !(entry.isFile() && entry.name.endsWith('.json')));
      for (const { name } of others) Object.keys(folders).should.containEql(`${folder}/${name}`);
    }
  });

  it('share one local service, and no other node', async () => {
    const flows = await Promise.all((await listAllExampleNames()).map(readExample));
    const services = flows
      .flat()
      .filter((node) => node.type === 'model-processing-service' && node.service === 'local');
    services.length.should.equal(flows.length - 1, 'one example has a remote account');
    for (const service of services) should(service).deepEqual(services[0]);
    const others = flows.flat().filter(({ id }) => id !== services[0]?.id);
    new Set(others.map(({ id }) => id)).size.should.equal(others.length);
  });

  it('are listed in the recipes of the README', async () => {
    const readme = await readFile('README.md', 'utf8');
    for (const name of await listAllExampleNames()) readme.should.containEql(`| *${name}*`);
  });

  it('"Convert a folder" creates the folder on its first start', async () => {
    await rm(path.join(environment.home, 'models-to-convert'), { recursive: true });
    await SCENARIOS['Convert a folder']?.(await nodeRed.deploy(await readExample('Convert a folder')));
  });

  it('"Callback instead of polling" completes by callbacks alone if the poll interval is an hour', async () => {
    const name = 'Callback instead of polling';
    const settings = { pollMin: 3600, pollMax: 3600 };
    const flow = (await readExample(name)).map((node) => ('callbackUrl' in node ? { ...node, ...settings } : node));
    await SCENARIOS[name]?.(await nodeRed.deploy(flow));
  });

  it('"Slice and send to a printer" reports a missing slicer', async () => {
    const env = [{ name: 'SLICER', value: 'no-such-slicer', type: 'str' }];
    const flow = (await readExample('Slice and send to a printer')).map((node) => (node.env ? { ...node, env } : node));
    const { triggerInject, nextMessage } = await nodeRed.deploy(flow);
    await triggerInject('slice the bracket');
    (await nextMessage('not sliced')).payload.should.match(/There is no slicer "no-such-slicer".*Install PrusaSlicer/);
  });
});
