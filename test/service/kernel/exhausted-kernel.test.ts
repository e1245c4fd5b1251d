import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { createKernelRunner, type RunJob } from '../../../src/service/kernel/kernel-runner.js';
import type { JobOutcome } from '../../../src/service/kernel/messages.js';
import { WarmKernelPool } from '../../../src/service/kernel/warm-kernel-pool.js';
import { findKernelProcesses } from '../../helpers/processes.js';
import { sphere } from '../support/models.js';

const MIB = 1024 ** 2;
const KERNEL = { program: path.resolve('dist/src/service/kernel-process.js'), memoryBytes: 300 * MIB };

describe('the kernel process of a user whose model is too large for the memory limit', function () {
  this.timeout(300_000);
  const signal = new AbortController().signal;
  let folder: string;
  let warmPool: WarmKernelPool;
  let runJob: RunJob;

  const importFile = (name: string): Promise<JobOutcome> => {
    const [inputPath, outputPath] = [path.join(folder, name), path.join(folder, `${name}.model`)];
    const job = { operation: 'import', inputPath, outputPath, filename: name, parameters: {} };
    return runJob(job, { signal, owner: 'ann' });
  };

  const importSmall = async (): Promise<number> => {
    should(await importFile('small.stl')).match({ type: 'done' });
    const waiting = findKernelProcesses(process.pid).map(({ pid }) => pid);
    should(waiting).have.length(1);
    return waiting[0] ?? 0;
  };

  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'exhausted-kernel-'));
    writeFileSync(path.join(folder, 'small.stl'), sphere(12, 16));
    writeFileSync(path.join(folder, 'large.stl'), sphere(1000, 1500)); // 3 million triangles
    const reuse = { count: 1, idleTimeoutMs: 600_000, maxJobs: 100, maxResidentBytes: 200 * MIB };
    warmPool = new WarmKernelPool({ ...KERNEL, reuse });
    runJob = createKernelRunner({ ...KERNEL, timeoutMs: 240_000, warmPool });
  });

  after(async () => {
    await warmPool.close();
    rmSync(folder, { recursive: true });
  });

  it('fails that job only, after a second attempt in a new process', async () => {
    const used = await importSmall();
    should(await importSmall()).equal(used);
    const seen = new Set<number>();
    const watch = setInterval(() => {
      for (const { pid } of findKernelProcesses(process.pid)) seen.add(pid);
    }, 20);
    const outcome = await importFile('large.stl').finally(() => clearInterval(watch));
    // Which one depends on the allocation that fails first.
    should(['OUT_OF_MEMORY', 'TOO_LARGE']).containEql(outcome.type === 'failed' ? outcome.code : outcome.type);
    should([...seen][0]).equal(used);
    should(seen.size).equal(2);
    should(seen.has(await importSmall())).equal(false);
  });
});
