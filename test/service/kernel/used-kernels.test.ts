import path from 'node:path';
import should from 'should';
import { createKernelRunner, type RunJob, type RunOptions } from '../../../src/service/kernel/kernel-runner.js';
import type { JobOutcome } from '../../../src/service/kernel/messages.js';
import { type KernelReuse, WarmKernelPool } from '../../../src/service/kernel/warm-kernel-pool.js';
import { eventually, findDescendants } from '../../helpers/processes.js';

const MIB = 1024 ** 2;
const KERNEL = { program: path.resolve('test/service/support/kernels/runs-many-jobs.mjs'), memoryBytes: 256 * MIB };
const REUSE: KernelReuse = { count: 1, idleTimeoutMs: 600_000, maxJobs: 100, maxResidentBytes: 200 * MIB };

function kernelPids(): number[] {
  return findDescendants(process.pid).flatMap(({ pid, command }) => (command.includes(KERNEL.program) ? [pid] : []));
}

describe('a kernel process that has run a job', () => {
  const never = new AbortController().signal;
  let warmPool: WarmKernelPool;
  let runJob: RunJob;

  const create = (reuse: Partial<KernelReuse> = {}): void => {
    warmPool = new WarmKernelPool({ ...KERNEL, reuse: { ...REUSE, ...reuse } });
    runJob = createKernelRunner({ ...KERNEL, timeoutMs: 60_000, warmPool });
  };

  const run = (filename: string, options: Partial<RunOptions> = {}): Promise<JobOutcome> => {
    const job = { operation: 'analyze', inputPath: 'in', filename, parameters: {} };
    return runJob(job, { signal: never, owner: 'ann', ...options });
  };

  /** Runs a job that succeeds. Resolves with the id of its process, and which job of that process it was. */
  const runToSuccess = async (filename: string, owner?: string): Promise<{ pid: number; jobCount: number }> => {
    const { type, result } = await run(filename, owner === undefined ? {} : { owner });
    should(type).equal('done');
    return (result as { fields: { pid: number; jobCount: number } }).fields; // as the kernel of this test reports
  };

  const untilEnded = (pid: number) => eventually('it has ended', () => !kernelPids().includes(pid));

  afterEach(async () => {
    await warmPool.close();
    kernelPids().should.deepEqual([]);
  });

  it('runs the next jobs of the same user', async () => {
    create();
    const first = await runToSuccess('a.stl');
    first.jobCount.should.equal(1);
    for (const jobCount of [2, 3, 4]) (await runToSuccess('a.stl')).should.deepEqual({ pid: first.pid, jobCount });
  });

  it('runs no job of another user, and ends when one comes', async () => {
    create();
    const { pid } = await runToSuccess('a.stl', 'ann');
    const other = await runToSuccess('a.stl', 'bob');
    other.jobCount.should.equal(1);
    other.pid.should.not.equal(pid);
    await untilEnded(pid);
    (await runToSuccess('a.stl', 'ann')).jobCount.should.equal(1);
  });

  it('waits beside that of another user if as many jobs run concurrently', async () => {
    create({ count: 2 });
    const pids = [(await runToSuccess('a.stl', 'ann')).pid, (await runToSuccess('a.stl', 'bob')).pid];
    for (const jobCount of [2, 3]) {
      for (const [index, owner] of ['ann', 'bob'].entries()) {
        (await runToSuccess('a.stl', owner)).should.deepEqual({ pid: pids[index], jobCount });
      }
    }
  });

  it('ends when it is the longest waiting one and jobs of others need its place', async () => {
    create({ count: 2 });
    const pids = [(await runToSuccess('a.stl', 'ann')).pid, (await runToSuccess('a.stl', 'bob')).pid];
    await runToSuccess('a.stl', 'eve');
    await untilEnded(pids[0] ?? 0);
    (await runToSuccess('a.stl', 'bob')).should.deepEqual({ pid: pids[1], jobCount: 2 });
  });

  it('runs one job at a time', async () => {
    create({ count: 2 });
    const { pid } = await runToSuccess('a.stl');
    const stop = new AbortController();
    const hanging = run('hang.stl', { signal: stop.signal });
    (await runToSuccess('a.stl')).pid.should.not.equal(pid);
    stop.abort(new Error('enough'));
    await hanging.should.be.rejectedWith('enough');
  });

  it('runs no other job without a user', async () => {
    create();
    await runJob({ operation: 'analyze', inputPath: 'in', filename: 'a.stl', parameters: {} }, { signal: never });
    kernelPids().should.deepEqual([]);
  });

  for (const [reason, filename] of [
    ['a failure', 'fail.stl'],
    ['a job after which it cannot go on', 'spent.stl'],
    ['a job that leaves much memory', 'large.stl'],
    ['a job after which it writes', 'chatter.stl'],
  ] as const) {
    it(`ends after ${reason}`, async () => {
      create();
      const { pid } = await runToSuccess('a.stl');
      await run(filename);
      await untilEnded(pid);
      (await runToSuccess('a.stl')).jobCount.should.equal(1);
    });
  }

  it('runs no other job once it was killed, before its end is reported', async () => {
    create();
    await run('babble.stl');
    should(warmPool.acquire('ann')).equal(undefined);
  });

  it('ends after the maximum number of jobs', async () => {
    create({ maxJobs: 3 });
    const pids = [];
    for (const jobCount of [1, 2, 3, 1]) {
      const job = await runToSuccess('a.stl');
      job.jobCount.should.equal(jobCount);
      pids.push(job.pid);
    }
    new Set(pids.slice(0, 3)).size.should.equal(1);
    should(pids[3]).not.equal(pids[0]);
  });

  it('ends when no job comes', async () => {
    create({ idleTimeoutMs: 1 });
    await untilEnded((await runToSuccess('a.stl')).pid);
  });

  it('is replaced if it has ended meanwhile', async () => {
    create();
    const { pid } = await runToSuccess('a.stl');
    process.kill(pid, 'SIGKILL');
    (await runToSuccess('a.stl')).jobCount.should.equal(1);
  });

  for (const filename of ['strain.stl', 'crowded.stl', 'starved.stl']) {
    it(`passes a job for which its memory does not suffice on to a new process (${filename})`, async () => {
      create();
      const { pid } = await runToSuccess('a.stl');
      const job = await runToSuccess(filename);
      job.jobCount.should.equal(1);
      job.pid.should.not.equal(pid);
    });
  }

  it('passes such a job on with its full timeout', async () => {
    create();
    await runToSuccess('a.stl');
    let time = 0;
    // Is read when a process gets the job.
    const countOomKills = (): undefined => {
      time += 60_000;
    };
    runJob = createKernelRunner({ ...KERNEL, timeoutMs: 60_000, warmPool, countOomKills, now: () => time });
    (await runToSuccess('crowded.stl')).jobCount.should.equal(1);
  });

  for (const [reason, kills, outcome] of [
    ['because memory was short', [5, 6], { code: 'OUT_OF_MEMORY', message: /the system ended the kernel process/ }],
    ['by somebody', [5, 5], { code: 'KERNEL_CRASHED', message: /ended from outside \(SIGKILL\)/ }],
  ] as const) {
    it(`passes no job on that it runs when it is killed ${reason}: the next one would need the same memory`, async () => {
      create();
      const { pid } = await runToSuccess('a.stl');
      const counts = [...kills, 6, 6];
      runJob = createKernelRunner({ ...KERNEL, timeoutMs: 60_000, warmPool, countOomKills: () => counts.shift() });
      let didStart = false;
      const onProgress = (): void => {
        didStart = true;
      };
      const killed = run('tire.stl', { onProgress });
      await eventually('the process has read the job', () => didStart);
      process.kill(pid, 'SIGKILL');
      should(await killed).match({ type: 'failed', ...outcome });
      counts.should.have.length(2);
    });
  }

  it('passes such a job on once only', async () => {
    create();
    await runToSuccess('a.stl');
    should(await run('allocate.stl')).match({ type: 'failed', code: 'OUT_OF_MEMORY', message: /256 MiB/ });
  });

  for (const [event, filename, outcome, kill] of [
    ['is killed', 'hang.stl', { code: 'KERNEL_CRASHED', message: /ended from outside \(SIGKILL\)/ }, true],
    ['exceeds its memory limit', 'allocate.stl', { code: 'OUT_OF_MEMORY' }, false],
    ['crashes', 'crash.stl', { code: 'KERNEL_CRASHED', message: /SIGABRT/ }, false],
    ['passes its deadline', 'hang.stl', { code: 'DEADLINE_PASSED' }, false],
  ] as const) {
    it(`fails only its tenth job if it ${event} meanwhile`, async () => {
      create();
      const { pid } = await runToSuccess('a.stl');
      for (let jobCount = 2; jobCount < 10; jobCount++) {
        (await runToSuccess('a.stl')).should.deepEqual({ pid, jobCount });
      }
      let didStart = false;
      const onProgress = (): void => {
        didStart = true;
      };
      if (outcome.code === 'DEADLINE_PASSED') runJob = createKernelRunner({ ...KERNEL, timeoutMs: 200, warmPool });
      const tenth = run(filename, { onProgress });
      if (kill) {
        await eventually('the process has read the job', () => didStart);
        process.kill(pid, 'SIGKILL');
      }
      should(await tenth).match({ type: 'failed', ...outcome });
      runJob = createKernelRunner({ ...KERNEL, timeoutMs: 60_000, warmPool });
      kernelPids().should.not.containEql(pid);
      for (const owner of ['bob', 'ann']) {
        const next = await runToSuccess('a.stl', owner);
        next.jobCount.should.equal(1);
        next.pid.should.not.equal(pid);
      }
    });
  }

  it('ends when its job is aborted', async () => {
    create();
    const { pid } = await runToSuccess('a.stl');
    const stop = new AbortController();
    const hanging = run('hang.stl', { signal: stop.signal });
    stop.abort(new Error('enough'));
    await hanging.should.be.rejectedWith('enough');
    kernelPids().should.not.containEql(pid);
    (await runToSuccess('a.stl')).jobCount.should.equal(1);
  });
});
