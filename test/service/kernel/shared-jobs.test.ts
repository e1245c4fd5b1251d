import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import {
  createKernelRunner,
  type KernelRunnerOptions,
  type RunOptions,
} from '../../../src/service/kernel/kernel-runner.js';
import type { JobOutcome } from '../../../src/service/kernel/messages.js';
import { OPERATION_KINDS } from '../../../src/service/operations/kinds.js';
import { findDescendants } from '../../helpers/processes.js';
import { bundleKernel } from '../support/bundle-kernel.js';

const MIB = 1024 ** 2;
const ALONE = { type: 'done', result: { fields: { isAlone: true } } };

describe('a job that another thread helps with', () => {
  const never = new AbortController().signal;
  let folder: string;
  let program: string;

  const run = async (
    filename: string,
    {
      sizeBytes = 4 * MIB,
      operation = 'import',
      ...options
    }: Partial<RunOptions & KernelRunnerOptions> & { sizeBytes?: number; operation?: string } = {},
  ): Promise<JobOutcome> => {
    const inputPath = path.join(folder, filename);
    await writeFile(inputPath, Buffer.alloc(sizeBytes));
    const runJob = createKernelRunner({ program, memoryBytes: 512 * MIB, timeoutMs: 60_000, ...options });
    const job = { operation, inputPath, filename, parameters: {} };
    return runJob(job, { signal: never, threads: 2, ...options });
  };

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'shared-jobs-'));
    program = await bundleKernel('shares-jobs', folder);
  });

  after(() => rm(folder, { recursive: true }));

  afterEach('leaves no process behind', () => {
    const commands = findDescendants(process.pid).map(({ command }) => command);
    commands.filter((command) => command.includes(program)).should.deepEqual([]);
  });

  it('gets the results of both threads in the order of the parts', async () => {
    const outcome = await run('works.stl');
    const fields: unknown = outcome.result?.fields;
    const { results } = fields as { results: { part: number; isHelper: boolean }[] }; // as the kernel of this test reports
    results.map(({ part }) => part).should.deepEqual([0, 1]);
    results.filter(({ isHelper }) => isHelper).should.have.length(1);
  });

  it('runs alone if its input is small', async () => {
    should(await run('works.stl', { sizeBytes: 1000 })).deepEqual(ALONE);
  });

  it('runs alone if one thread is allowed', async () => {
    should(await run('works.stl', { threads: 1 })).deepEqual(ALONE);
  });

  for (const { name: operation, canUseThreads = false } of OPERATION_KINDS) {
    const isParallel = ['import', 'repair', 'geometrical-repair'].includes(operation);
    it(`${isParallel ? 'is shared' : 'runs alone, because its operation uses one thread'}: ${operation}`, async () => {
      should(canUseThreads).equal(isParallel);
      const { result } = await run('works.stl', { operation });
      should(result?.fields).have.property(isParallel ? 'results' : 'isAlone');
    });
  }

  it('throws the error of the other thread', async () => {
    const outputs: string[] = [];
    const outcome = await run('throws.stl', { onCrash: (stderr) => outputs.push(stderr) });
    should(outcome).match({ type: 'failed', code: 'KERNEL_CRASHED' }); // the job of this test does not catch it
    should(outputs.join()).match(/the part failed/);
  });

  for (const filename of ['exits.stl', 'cannot-reply.stl']) {
    it(`fails if the other thread dies (${filename})`, async () => {
      should(await run(filename)).match({ type: 'failed', code: 'KERNEL_CRASHED', message: /exit status 1/ });
    });
  }

  for (const filename of ['fills-heap.stl', 'allocates.stl']) {
    it(`runs again, alone, if the other thread exceeds the memory limit (${filename})`, async () => {
      should(await run(filename)).deepEqual(ALONE);
    });
  }

  it('ends at its deadline while it waits for the other thread', async () => {
    should(await run('loops.stl', { timeoutMs: 5000 })).match({ type: 'failed', code: 'DEADLINE_PASSED' });
  });

  it('ends when it is aborted while it waits for the other thread', async () => {
    const stop = new AbortController();
    const onProgress = (progress: number): void => {
      if (progress === 0.5) stop.abort(new Error('enough'));
    };
    await run('loops.stl', { signal: stop.signal, onProgress }).should.be.rejectedWith('enough');
  });
});
