import os from 'node:os';
import 'should';
import {
  countJobThreads,
  countSuspendableJobs,
  planConcurrency,
  readCapacity,
  warmKernelCount,
} from '../../../src/service/machine/capacity.js';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

function files(texts: Record<string, string>) {
  return (file: string) => texts[file];
}

describe('readCapacity', () => {
  it('returns the capacity of the machine without limits', () => {
    const { cores, memoryBytes } = readCapacity(files({}));
    [cores, memoryBytes].should.deepEqual([os.availableParallelism(), os.totalmem()]);
  });

  it('returns the limits of the container (cgroup version 2)', () => {
    const read = files({
      '/proc/self/cgroup': '0::/\n',
      '/sys/fs/cgroup/cpu.max': '50000 100000\n',
      '/sys/fs/cgroup/memory.max': '536870912\n',
    });
    readCapacity(read).should.deepEqual({ cores: 0.5, memoryBytes: 512 * MIB });
  });

  it('returns the limit of an ancestor of a nested cgroup', () => {
    const read = files({
      '/proc/self/cgroup': '0::/user.slice/app.service\n',
      '/sys/fs/cgroup/user.slice/app.service/memory.max': 'max\n',
      '/sys/fs/cgroup/user.slice/app.service/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/user.slice/memory.max': `${GIB}\n`,
    });
    readCapacity(read).memoryBytes.should.equal(GIB);
  });

  it('returns the limits of the container (cgroup version 1)', () => {
    const read = files({
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '100000\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${GIB}\n`,
    });
    readCapacity(read).should.deepEqual({ cores: 1, memoryBytes: GIB });
  });

  it('returns the capacity of the machine if cgroup version 1 has no limit', () => {
    const read = files({
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    });
    readCapacity(read).should.deepEqual({ cores: os.availableParallelism(), memoryBytes: os.totalmem() });
  });
});

describe('countJobThreads', () => {
  for (const [cores, threads] of [
    [0.5, 1],
    [1.9, 1],
    [2, 2],
    [64, 2],
  ] as const) {
    it(`is ${threads} with ${cores} cores`, () => {
      countJobThreads({ cores, memoryBytes: 64 * GIB }).should.equal(threads);
    });
  }
});

describe('planConcurrency', () => {
  it('limits a job to 4 GiB and leaves one core free', () => {
    planConcurrency({ cores: 8, memoryBytes: 64 * GIB }).should.deepEqual({ workers: 7, jobMemoryBytes: 4 * GIB });
  });

  it('limits the workers by memory', () => {
    planConcurrency({ cores: 16, memoryBytes: 10 * GIB }).should.deepEqual({ workers: 2, jobMemoryBytes: 4 * GIB });
  });

  it('reserves memory for the warm pool', () => {
    planConcurrency({ cores: 16, memoryBytes: 8 * GIB }).workers.should.equal(1);
  });

  it('keeps one idle process per 2 GiB of memory, at most two', () => {
    const counts = [2 * GIB - 1, 2 * GIB, 4 * GIB, 64 * GIB].map((memoryBytes) =>
      warmKernelCount({ cores: 8, memoryBytes }),
    );
    counts.should.deepEqual([0, 1, 2, 2]);
  });

  it('plans one worker with 60 % of the memory on a small machine', () => {
    const plan = planConcurrency({ cores: 4, memoryBytes: GIB });
    plan.should.deepEqual({ workers: 1, jobMemoryBytes: Math.floor(0.6 * GIB) });
  });

  it('plans one worker for half a core', () => {
    planConcurrency({ cores: 0.5, memoryBytes: 8 * GIB }).workers.should.equal(1);
  });

  it('keeps the requested values', () => {
    const plan = planConcurrency({ cores: 2, memoryBytes: 8 * GIB }, { workers: 3, jobMemoryBytes: GIB });
    plan.should.deepEqual({ workers: 3, jobMemoryBytes: GIB });
  });
});

describe('countSuspendableJobs', () => {
  const capacity = { cores: 8, memoryBytes: 8 * GIB };
  for (const [workers, jobMemoryBytes, platform, count] of [
    [1, GIB, 'linux', 1],
    [3, GIB, 'linux', 3],
    [5, GIB, 'linux', 2],
    [3, GIB, 'win32', 1],
    [1, 4 * GIB, 'linux', 0],
    [9, GIB, 'win32', 0],
  ] as const) {
    it(`is ${count} for ${workers} workers with ${jobMemoryBytes / GIB} of 8 GiB each on ${platform}`, () => {
      countSuspendableJobs(capacity, { workers, jobMemoryBytes }, platform).should.equal(count);
    });
  }
});
