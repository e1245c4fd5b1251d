import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { createKernelRunner, type KernelRunnerOptions } from '../../../src/service/kernel/kernel-runner.js';
import type { JobOutcome } from '../../../src/service/kernel/messages.js';
import { findDescendants } from '../../helpers/processes.js';

const MIB = 1024 ** 2;
const PROGRAM = path.resolve('test/service/support/kernels/fails-with-threads.mjs');
const TIMEOUT_MS = 600_000;

describe('a job that failed with two threads', function () {
  this.timeout(60_000); // a tenth of the timeout of the job
  const { signal } = new AbortController();
  let inputPath: string;

  const run = (
    filename: string,
    options: Partial<KernelRunnerOptions> = {},
    parameters = {},
    onProgress = (): void => undefined,
  ): Promise<JobOutcome> => {
    const runJob = createKernelRunner({
      program: PROGRAM,
      memoryBytes: 256 * MIB,
      timeoutMs: TIMEOUT_MS,
      countOomKills: () => undefined,
      ...options,
    });
    return runJob({ operation: 'import', inputPath, filename, parameters }, { signal, threads: 2, onProgress });
  };

  /** Runs a job that ends with this failure after `ms`. */
  const runFor = (ms: number, filename: string, parameters = {}): Promise<JobOutcome> => {
    let now = 0;
    const onProgress = (): void => {
      now = ms;
    };
    return run(filename, { now: () => now }, parameters, onProgress);
  };

  before(async () => {
    inputPath = path.join(await mkdtemp(path.join(os.tmpdir(), 'repeated-jobs-')), 'in.stl');
    await writeFile(inputPath, '');
    await truncate(inputPath, 4 * MIB);
  });

  after(() => rm(path.dirname(inputPath), { recursive: true }));

  afterEach('leaves no process behind', () => {
    const commands = findDescendants(process.pid).map(({ command }) => command);
    commands.filter((command) => command.includes(PROGRAM)).should.deepEqual([]);
  });

  for (const code of ['OUT_OF_MEMORY', 'TOO_LARGE', 'FILE_MALFORMED']) {
    it(`runs again with one if the memory of the other may have been missing: ${code}`, async () => {
      should(await run(code)).deepEqual({ type: 'done', result: {} });
    });
  }

  it('does not run again for another reason', async () => {
    const failure = { type: 'failed', code: 'REPAIR_INCOMPLETE', message: 'it failed with 2 threads' };
    should(await run('REPAIR_INCOMPLETE')).deepEqual(failure);
  });

  it('does not run again if its process exited', async () => {
    const outputs: string[] = [];
    const outcome = await run('exit', { onCrash: (stderr) => outputs.push(stderr) });
    should(outcome).match({ type: 'failed', code: 'KERNEL_CRASHED', message: /exit status 3/ });
    should(outputs).have.length(1);
  });

  it('does not run again if no time remains', async () => {
    const outcome = await runFor(TIMEOUT_MS, 'OUT_OF_MEMORY');
    should(outcome).match({ type: 'failed', code: 'OUT_OF_MEMORY' });
  });

  it('fails as before if the remaining time does not suffice, except for a lack of memory', async () => {
    const outcome = await runFor(TIMEOUT_MS - 1000, 'FILE_MALFORMED', { hangs: 1 });
    should(outcome).deepEqual({ type: 'failed', code: 'FILE_MALFORMED', message: 'it failed with 2 threads' });
  });

  it('has the remaining time when it runs again', async () => {
    const outcome = await runFor(TIMEOUT_MS - 1000, 'OUT_OF_MEMORY', { hangs: 1 });
    should(outcome).match({ type: 'failed', code: 'DEADLINE_PASSED', message: /after 600 s/ });
  });
});
