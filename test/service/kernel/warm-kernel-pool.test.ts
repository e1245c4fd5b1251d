import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { createKernelRunner, type JobRequest, type RunJob } from '../../../src/service/kernel/kernel-runner.js';
import { WarmKernelPool } from '../../../src/service/kernel/warm-kernel-pool.js';
import { descendantsOf, eventually, type RunningProcess } from '../../helpers/processes.js';

const KERNEL = {
  program: path.resolve('test/service/support/kernels/as-told.mjs'),
  memoryBytes: 256 * 1024 ** 2,
};

function kernels(): RunningProcess[] {
  return descendantsOf(process.pid).filter(({ command }) => command.includes('as-told'));
}

const never = new AbortController().signal;

describe('a spare kernel process', () => {
  let folder: string;
  let warmPool: WarmKernelPool;
  let runJob: RunJob;

  const jobFor = (filename: string): JobRequest => {
    const outputPath = path.join(folder, 'out');
    return { operation: 'repair', inputPath: 'in', outputPath, filename, parameters: {} };
  };

  const create = ({ count = 1, idleMs = 60_000, quietMs: warmUpDelayMs = 60_000 } = {}): void => {
    warmPool = new WarmKernelPool({ ...KERNEL, count, idleMs, warmUpDelayMs });
    runJob = createKernelRunner({ ...KERNEL, timeoutMs: 60_000, warmPool });
  };

  /** Runs a job; answers whether its process had rehearsed, which the test's kernel says. */
  const runFine = async (): Promise<unknown> => {
    const { result } = await runJob(jobFor('fine.stl'), { signal: never });
    return result && 'hasRehearsed' in result && result.hasRehearsed;
  };

  const waiting = (): Promise<RunningProcess> =>
    eventually('one process waits', () => (kernels().length === 1 ? kernels()[0] : undefined));

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'spare-'));
    create();
  });

  afterEach(async () => {
    await warmPool.close();
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

  it('has a second one beside it where two may wait, from the end of the first job on', async () => {
    create({ count: 2 });
    const stop = new AbortController();
    const run = runJob(jobFor('hang.stl'), { signal: stop.signal });
    await eventually('the job runs and one waits', () => kernels().length === 2);
    stop.abort(new Error('enough'));
    await run.should.be.rejectedWith('enough');
    await eventually('two wait', () => kernels().length === 2);
  });

  it('is taken before those that wait for a shorter time', async () => {
    create({ count: 2 });
    warmPool.replenish();
    const first = await waiting();
    warmPool.replenish();
    warmPool.replenish();
    await eventually('two wait', () => kernels().length === 2);
    should(warmPool.acquire()?.pid).equal(first.pid);
    process.kill(first.pid, 'SIGKILL');
    await waiting();
  });

  it('rehearses when no job came or ended for a while', async () => {
    create({ quietMs: 1 });
    await eventually('a job meets one that rehearsed', runFine);
  });

  it('only waits while jobs follow each other', async () => {
    for (const _ of [1, 2, 3]) should(await runFine()).be.false();
  });

  it('is passed over when it died while it waited', async () => {
    await runJob(jobFor('fine.stl'), { signal: never });
    const { pid } = await waiting();
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', () => kernels().length === 0);
    (await runJob(jobFor('fine.stl'), { signal: never })).type.should.equal('done');
  });

  it('ends when no job comes for a while', async () => {
    create({ idleMs: 1 });
    await runJob(jobFor('fine.stl'), { signal: never });
    await eventually('it is gone', () => kernels().length === 0);
  });

  it('is not started any more after the close', async () => {
    await warmPool.close();
    await runJob(jobFor('fine.stl'), { signal: never });
    kernels().should.deepEqual([]);
  });
});
