import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { createKernelRunner, type JobRequest, type RunJob } from '../../../src/service/kernel/kernel-runner.js';
import { WarmKernelPool } from '../../../src/service/kernel/warm-kernel-pool.js';
import { eventually, findDescendants, type RunningProcess } from '../../helpers/processes.js';

const KERNEL = {
  program: path.resolve('test/service/support/kernels/by-filename.mjs'),
  memoryBytes: 256 * 1024 ** 2,
};

function kernels(): RunningProcess[] {
  return findDescendants(process.pid).filter(({ command }) => command.includes('by-filename'));
}

const never = new AbortController().signal;

describe('WarmKernelPool', () => {
  let folder: string;
  let warmPool: WarmKernelPool;
  let runJob: RunJob;

  const jobFor = (filename: string): JobRequest => {
    const outputPath = path.join(folder, 'out');
    return { operation: 'repair', inputPath: 'in', outputPath, filename, parameters: {} };
  };

  const create = ({ count = 1, idleMs: idleTimeoutMs = 60_000, warmUpDelayMs = 60_000 } = {}): void => {
    warmPool = new WarmKernelPool({ ...KERNEL, count, idleTimeoutMs, warmUpDelayMs });
    runJob = createKernelRunner({ ...KERNEL, timeoutMs: 60_000, warmPool });
  };

  /** Runs a job. Resolves with whether its process was told to warm up, as the kernel of this test reports. */
  const runAndCheckWarmUp = async (): Promise<unknown> => {
    const { result } = await runJob(jobFor('fine.stl'), { signal: never });
    return result && 'wasWarmedUp' in result && result.wasWarmedUp;
  };

  const idleProcess = (): Promise<RunningProcess> =>
    eventually('one process is idle', () => (kernels().length === 1 ? kernels()[0] : undefined));

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'warm-pool-'));
    create();
  });

  afterEach(async () => {
    await warmPool.close();
    kernels().should.deepEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('starts no process before the first job', () => {
    kernels().should.deepEqual([]);
  });

  it('leaves the error of a process that cannot be started to the next job', async () => {
    const pool = new WarmKernelPool({ ...KERNEL, program: 'with\0null', count: 1 });
    pool.replenish();
    should(pool.acquire(undefined)).equal(undefined);
    (() => pool.start(undefined)).should.throw({ code: 'KERNEL_UNAVAILABLE' });
    await pool.close();
  });

  it('starts an idle process at low priority when a job starts', async () => {
    await runJob(jobFor('fine.stl'), { signal: never });
    const { pid } = await idleProcess();
    os.getPriority(pid).should.equal(10);
  });

  it('runs one job per process without a user', async () => {
    await runJob(jobFor('fine.stl'), { signal: never });
    const first = await idleProcess();
    const stop = new AbortController();
    const run = runJob(jobFor('hang.stl'), { signal: stop.signal });
    const both = await eventually('another process is idle', () => (kernels().length === 2 ? kernels() : undefined));
    both.map(({ pid }) => pid).should.containEql(first.pid);
    stop.abort(new Error('enough'));
    await run.should.be.rejectedWith('enough');
    should((await idleProcess()).pid).not.equal(first.pid);
  });

  it('keeps two idle processes with a count of two', async () => {
    create({ count: 2 });
    const stop = new AbortController();
    const run = runJob(jobFor('hang.stl'), { signal: stop.signal });
    await eventually('the job runs and one process is idle', () => kernels().length === 2);
    stop.abort(new Error('enough'));
    await run.should.be.rejectedWith('enough');
    await eventually('two processes are idle', () => kernels().length === 2);
  });

  it('returns the longest idle process first', async () => {
    create({ count: 2 });
    warmPool.replenish();
    const first = await idleProcess();
    warmPool.replenish();
    warmPool.replenish();
    await eventually('two processes are idle', () => kernels().length === 2);
    should(warmPool.acquire(undefined)?.pid).equal(first.pid);
    process.kill(first.pid, 'SIGKILL');
    await idleProcess();
  });

  it('warms up idle processes after a while without a job', async () => {
    create({ warmUpDelayMs: 1 });
    await eventually('a job runs in a warmed-up process', runAndCheckWarmUp);
  });

  it('does not warm up while jobs follow each other', async () => {
    for (const _ of [1, 2, 3]) should(await runAndCheckWarmUp()).be.false();
  });

  it('skips an idle process that has exited', async () => {
    await runJob(jobFor('fine.stl'), { signal: never });
    const { pid } = await idleProcess();
    process.kill(pid, 'SIGKILL');
    await eventually('it has exited', () => kernels().length === 0);
    (await runJob(jobFor('fine.stl'), { signal: never })).type.should.equal('done');
  });

  it('ends idle processes after the idle timeout', async () => {
    create({ idleMs: 1 });
    await runJob(jobFor('fine.stl'), { signal: never });
    await eventually('it has exited', () => kernels().length === 0);
  });

  it('starts no process after close', async () => {
    await warmPool.close();
    await runJob(jobFor('fine.stl'), { signal: never });
    kernels().should.deepEqual([]);
  });
});
