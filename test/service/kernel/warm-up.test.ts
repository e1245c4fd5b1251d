import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { parseModel } from '../../../src/mesh/formats/parse-model.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { createKernelRunner } from '../../../src/service/kernel/kernel-runner.js';
import { WarmKernelPool } from '../../../src/service/kernel/warm-kernel-pool.js';
import { warmUp } from '../../../src/service/kernel/warm-up.js';
import { createWarmUpModel } from '../../../src/service/kernel/warm-up-model.js';
import { warmUpTasks } from '../../../src/service/kernel/warm-up-tasks.js';
import { sphere } from '../support/models.js';

const KERNEL = { program: path.resolve('dist/src/service/kernel-process.js'), memoryBytes: 1024 ** 3 };

describe('warmUp', () => {
  const never = new AbortController().signal;

  it('repairs a model with a hole to a solid', async () => {
    const { mesh } = await parseModel(createWarmUpModel(), { filename: 'warm-up.stl' });
    const { report } = repair(mesh);
    report.should.match({ before: { triangles: 305 }, verdict: { level: 'solid' } });
    should(report.steps.find(({ name }) => name === 'holes')?.changed).be.above(0);
  });

  it('yields after each step, and ends', async () => {
    let count = 0;
    for await (const _ of warmUp()) count++;
    count.should.be.above(10);
  });

  it('of a thread that helps yields after each round, and ends', () => {
    [...warmUpTasks()].length.should.be.above(10);
  });

  it('stops when a job arrives, whose output is the same as without warm-up', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'warm-up-'));
    const warmPool = new WarmKernelPool({ ...KERNEL, count: 1, idleTimeoutMs: 60_000, warmUpDelayMs: 0 });
    try {
      const inputPath = path.join(folder, 'in.stl');
      await writeFile(inputPath, sphere(21, 25));
      const outputOf = async (name: string, options: { warmPool?: WarmKernelPool }): Promise<Buffer> => {
        const outputPath = path.join(folder, name);
        const runJob = createKernelRunner({ ...KERNEL, timeoutMs: 60_000, ...options });
        const job = { operation: 'import', inputPath, outputPath, filename: 'in.stl', parameters: {} };
        should(await runJob(job, { signal: never })).match({ type: 'done' });
        return readFile(outputPath);
      };
      warmPool.replenish();
      await new Promise((resolve) => setTimeout(resolve)); // lets the pool request the warm-up
      const warmedUp = await outputOf('warmed-up', { warmPool });
      warmedUp.equals(await outputOf('fresh', {})).should.be.true();
    } finally {
      await warmPool.close();
      await rm(folder, { recursive: true });
    }
  });
});
