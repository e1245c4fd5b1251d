import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { createKernelRunner, type JobRequest, type RunJob } from '../../../src/service/jobs/kernel-runner.js';
import { SpareKernel } from '../../../src/service/jobs/spare-kernel.js';
import { descendantsOf, eventually, type RunningProcess } from '../../helpers/processes.js';

const KERNEL = {
  program: path.resolve('test/service/support/kernels/as-told.mjs'),
  memoryBytes: 256 * 1024 ** 2,
};

const kernels = (): RunningProcess[] => descendantsOf(process.pid).filter(({ command }) => command.includes('as-told'));

const never = new AbortController().signal;

describe('a spare kernel process', () => {
  let folder: string;
  let spare: SpareKernel;
  let runJob: RunJob;

  const jobFor = (filename: string): JobRequest => {
    const outputPath = path.join(folder, 'out');
    return { operation: 'repair', inputPath: 'in', outputPath, filename, parameters: {} };
  };

  const create = (idleMs: number): void => {
    spare = new SpareKernel(KERNEL, idleMs);
    runJob = createKernelRunner({ ...KERNEL, deadlineMs: 60_000, spare });
  };

  const waiting = (): Promise<RunningProcess> =>
    eventually('one process waits', () => (kernels().length === 1 ? kernels()[0] : undefined));

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'spare-'));
    create(60_000);
  });

  afterEach(async () => {
    await spare.close();
    kernels().should.deepEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('is not there before the first job', () => {
    kernels().should.deepEqual([]);
  });

  it('waits after a job was taken, at a low priority', async () => {
    await runJob(jobFor('fine.stl'), { signal: never });
    const { pid } = await waiting();
    os.getPriority(pid).should.equal(10);
  });

  it('runs the next job and no other', async () => {
    await runJob(jobFor('fine.stl'), { signal: never });
    const first = await waiting();
    const stop = new AbortController();
    const run = runJob(jobFor('hang.stl'), { signal: stop.signal });
    const both = await eventually('another one waits', () => (kernels().length === 2 ? kernels() : undefined));
    both.map(({ pid }) => pid).should.containEql(first.pid);
    stop.abort(new Error('enough'));
    await run.should.be.rejectedWith('enough');
    should((await waiting()).pid).not.equal(first.pid);
  });

  it('is passed over when it died while it waited', async () => {
    await runJob(jobFor('fine.stl'), { signal: never });
    const { pid } = await waiting();
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', () => kernels().length === 0);
    (await runJob(jobFor('fine.stl'), { signal: never })).type.should.equal('done');
  });

  it('ends when no job comes for a while', async () => {
    create(1);
    await runJob(jobFor('fine.stl'), { signal: never });
    await eventually('it is gone', () => kernels().length === 0);
  });

  it('is not started any more after the close', async () => {
    await spare.close();
    await runJob(jobFor('fine.stl'), { signal: never });
    kernels().should.deepEqual([]);
  });
});
