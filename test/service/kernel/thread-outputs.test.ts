import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { serializeInternal } from '../../../src/mesh/formats/internal-format.js';
import { serializeModel } from '../../../src/mesh/formats/serialize-model.js';
import { createKernelRunner } from '../../../src/service/kernel/kernel-runner.js';
import { WarmKernelPool } from '../../../src/service/kernel/warm-kernel-pool.js';
import { countOf, sample } from '../../helpers/counts.js';
import { findKernelProcesses } from '../../helpers/processes.js';
import { DAMAGES } from '../../mesh/models/damages.js';
import { joined } from '../../mesh/models/mesh-of.js';
import { makeTorus } from '../../mesh/models/torus.js';
import { rotated } from '../../mesh/models/transform.js';

const KERNEL = { program: path.resolve('dist/src/service/kernel-process.js'), memoryBytes: 1024 ** 3 };
const TORUS = makeTorus(400, 180); // 144,000 triangles, enough for several threads
const CROSSING = joined(TORUS, rotated(TORUS));
const MODELS: Record<string, () => IndexedMesh> = {
  'a solid': () => TORUS,
  'two bodies that cross': () => CROSSING,
  'a third of the triangles inverted': () => DAMAGES['a third of the triangles inverted'](TORUS),
  'a hundredth of the triangles missing': () => DAMAGES['a hundredth of the triangles missing'](TORUS),
};

describe('a job with several threads', function () {
  this.timeout(600_000);
  const signal = new AbortController().signal;
  const runJob = createKernelRunner({ ...KERNEL, timeoutMs: 300_000 });
  let folder: string;

  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'thread-outputs-'));
  });

  after(() => rmSync(folder, { recursive: true }));

  const run = async (operation: string, inputPath: string, threads: number) => {
    const outputPath = path.join(folder, `${operation}-${threads}`);
    const job = { operation, inputPath, outputPath, filename: 'in.stl', parameters: {} };
    const outcome = await runJob(job, { signal, threads });
    should(outcome.type).equal('done');
    return { outcome, outputPath, bytes: readFileSync(outputPath) };
  };

  it('starts no other thread for an export, and keeps its process', async () => {
    const reuse = { count: 1, idleTimeoutMs: 600_000, maxJobs: 100, maxResidentBytes: 1024 ** 3 };
    const warmPool = new WarmKernelPool({ ...KERNEL, reuse });
    const runKept = createKernelRunner({ ...KERNEL, timeoutMs: 300_000, warmPool });
    const inputPath = path.join(folder, 'in.model');
    writeFileSync(inputPath, Buffer.concat([...serializeInternal(CROSSING)]));
    should(statSync(inputPath).size).be.above(4 * 1024 ** 2);
    const [filename, outputPath] = ['in.stl', path.join(folder, 'out.stl')];
    const job = { operation: 'export', inputPath, outputPath, filename, parameters: { exportToFormat: 'stl' } };
    const kernels = [];
    try {
      for (const threads of [1, 2]) {
        const outcome = await runKept(job, { signal, owner: 'ann', threads });
        should(outcome.type).equal('done');
        kernels.push(findKernelProcesses(process.pid).map(({ pid }) => pid));
      }
    } finally {
      await warmPool.close();
    }
    should(kernels[0]).have.length(1);
    should(kernels[1]).deepEqual(kernels[0]);
  });

  for (const [name, create] of sample(Object.entries(MODELS), countOf('models of several threads'))) {
    it(`gives the bytes and the report of one thread: ${name}`, async () => {
      let inputPath = path.join(folder, 'in.stl');
      writeFileSync(inputPath, Buffer.concat([...serializeModel(create(), 'stl')]));
      for (const operation of ['import', 'repair']) {
        const expected = await run(operation, inputPath, 1);
        for (const threads of sample([2, 3], countOf('numbers of threads'))) {
          const { outcome, bytes } = await run(operation, inputPath, threads);
          should(outcome).deepEqual(expected.outcome);
          bytes.equals(expected.bytes).should.be.true();
        }
        inputPath = expected.outputPath;
      }
    });
  }
});
