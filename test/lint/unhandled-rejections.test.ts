import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import 'should';

const run = promisify(execFile);

/** Runs fixtures as the suites are run, with further options. Resolves with the exit status and what was printed. */
async function runFixture(names: string, ...options: string[]): Promise<{ status: number; output: string }> {
  const fixtures = names.split(' ').map((name) => `test/lint/fixtures/${name}.ts`);

  return run(process.execPath, ['node_modules/mocha/bin/mocha.js', '--no-color', ...options, ...fixtures]).then(
    ({ stdout, stderr }) => ({ status: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ status: code, output: stdout + stderr }),
  );
}

describe('a run of mocha', () => {
  it('fails in a test that leaves a rejection without a handler, and in no other', async () => {
    const { status, output } = await runFixture('unhandled');
    status.should.be.above(0);
    output.should.match(/\d\) of an error\n/);
    output.should.match(/\d\) of nothing\n/);
    output.should.match(/✔ that is none/);
  });

  it('fails in such a test of any file that runs in parallel', async () => {
    // Two processes: the last file is at least the second one of its process.
    const { status, output } = await runFixture('handled handled unhandled', '--parallel', '--jobs', '2');
    status.should.be.above(0);
    output.should.match(/\d\) of an error\n/);
    output.should.match(/\d\) of nothing\n/);
    output.should.match(/✔ that is none/);
  });

  it('fails when that comes after the last test', async () => {
    const { status, output } = await runFixture('unhandled-late');
    status.should.be.above(0);
    output.should.match(/✔ after the last test/);
    output.should.match(/Error: lost/);
  });

  it('fails when that happens in Node-RED', async () => {
    const { status, output } = await runFixture('unhandled-in-node-red');
    status.should.be.above(0);
    output.should.match(/\d\) at an input\n/);
    output.should.match(/\d\) at a close\n/);
  });
});
