import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import should from 'should';
import { Machines } from './support/machines.js';

// The same files run on one machine in `npm test`.
const TESTS = ['test/contract/*.test.ts', 'test/service/api.test.ts'];

describe('two API processes behind HAProxy and a worker', () => {
  let machines: Machines;

  before(async () => {
    machines = await Machines.start();
    await machines.reset();
  });

  after(() => machines.stop());

  it('pass the tests of the API and of the wire', async function () {
    this.timeout(600_000);
    const env = {
      ...process.env,
      TEST_DATABASE_SERVER: machines.server.url(),
      TEST_S3_ENDPOINT: machines.swift.endpoint,
      TEST_BUCKET: machines.name,
    };
    const args = ['node_modules/mocha/bin/mocha.js', ...TESTS];
    const child = spawn(process.execPath, args, { env, stdio: 'pipe' });
    const [output, errors, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    should(status).equal(0, output + errors);
  });
});
