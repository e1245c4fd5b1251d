import { readExample } from '../helpers/examples/example-file.js';
import { type ExampleNodeRed, startExampleNodeRed } from '../helpers/examples/example-node-red.js';
import { SCENARIOS } from '../helpers/examples/scenarios.js';
import { createTestEnvironment, type TestEnvironment } from '../helpers/examples/test-environment.js';

const EXAMPLE = 'Slice and send to a printer';

describe(`the example "${EXAMPLE}", with the PrusaSlicer of this machine`, function () {
  this.timeout(120_000);
  let world: TestEnvironment;
  let nodeRed: ExampleNodeRed;

  before(async () => {
    world = await createTestEnvironment('installed');
    nodeRed = await startExampleNodeRed(world);
  });

  after(async () => {
    await nodeRed?.stop();
    await world?.stop();
  });

  it('puts the G-code of the repaired model on the printer', async () => {
    await SCENARIOS[EXAMPLE]?.(await nodeRed.deploy(await readExample(EXAMPLE)));
  });
});
