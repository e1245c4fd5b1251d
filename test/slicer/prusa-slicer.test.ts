import { readExample } from '../helpers/examples/example-file.js';
import { type ExampleNodeRed, startExampleNodeRed } from '../helpers/examples/example-node-red.js';
import { SCENARIOS } from '../helpers/examples/scenarios.js';
import { createTestEnvironment, type TestEnvironment } from '../helpers/examples/test-environment.js';

const EXAMPLE = 'Slice and send to a printer';

describe(`the example "${EXAMPLE}", with the installed PrusaSlicer`, () => {
  let environment: TestEnvironment;
  let nodeRed: ExampleNodeRed;

  before(async () => {
    environment = await createTestEnvironment('installed');
    nodeRed = await startExampleNodeRed(environment);
  });

  after(async () => {
    await nodeRed?.stop();
    await environment?.stop();
  });

  it('sends the G-code of the repaired model to the printer', async () => {
    await SCENARIOS[EXAMPLE]?.(await nodeRed.deploy(await readExample(EXAMPLE)));
  });
});
