import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import should from 'should';
import { EXPORT_FORMATS } from '../../../src/mesh/formats/registry.js';
import { createKernelRunner, type JobRequest, type RunJob } from '../../../src/service/kernel/kernel-runner.js';
import type { JobOutcome } from '../../../src/service/kernel/messages.js';
import { WarmKernelPool } from '../../../src/service/kernel/warm-kernel-pool.js';
import { findKind, OPERATION_KINDS } from '../../../src/service/operations/kinds.js';
import type { Parameters } from '../../../src/service/operations/parameters.js';
import { BUILT_IN_FILES } from '../../fuzz/built-in-files.js';
import { countOf, SAMPLE_SEED, sample } from '../../helpers/counts.js';
import { findKernelProcesses } from '../../helpers/processes.js';
import { LIBRARY_FILES } from '../../mesh/formats/files/library-files.js';
import { sphere } from '../support/models.js';

const KERNEL = { program: path.resolve('dist/src/service/kernel-process.js'), memoryBytes: 1024 ** 3 };
const ROUNDS = 2;
const TIMEOUT_MS = 600_000;
/** Values for which an operation takes little time. */
const FAST = { wallThicknessMm: 15, accuracy: 'Rough', width: 40, height: 30, minimalWallThicknessMm: 10 };
const BROKEN = sphere(12, 16).subarray(0, -7 * 50); // its header still counts the missing triangles

/** A job without its output, and whether a library reads its input. */
type TestedJob = Omit<JobRequest, 'outputPath'> & { usesLibrary: boolean };

/** What a job gives: its outcome, and the digest of its output. */
interface Output {
  outcome: JobOutcome;
  sha256: string | undefined;
}

function chooseParameters(parameters: Parameters): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, parameter]) => {
      const value = new Map(Object.entries(FAST)).get(name) ?? parameter.default ?? parameter.proposed;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

describe('a kernel process that has run other jobs', function () {
  this.timeout(1_800_000);
  const signal = new AbortController().signal;
  const temporaryFolder = process.env.TMPDIR;
  let folder: string;
  let emptyFolder: string;
  let warmPool: WarmKernelPool;
  let runUsed: RunJob;
  const runFresh = createKernelRunner({ ...KERNEL, timeoutMs: TIMEOUT_MS });
  const allJobs: TestedJob[] = [];
  let jobs: TestedJob[];
  const expected = new Map<TestedJob, Output>();

  const run = async ({ usesLibrary: _, ...job }: TestedJob, runJob: RunJob, outputPath: string): Promise<Output> => {
    const hasOutput = findKind(job.operation)?.output !== undefined;
    const outcome = await runJob({ ...job, ...(hasOutput && { outputPath }) }, { signal, owner: 'ann' });
    if (!hasOutput || outcome.type === 'failed') return { outcome, sha256: undefined };
    return { outcome, sha256: createHash('sha256').update(readFileSync(outputPath)).digest('hex') };
  };

  const addImport = (name: string, filename: string, bytes: Uint8Array, usesLibrary: boolean): void => {
    const inputPath = path.join(folder, name.replaceAll(/\W/g, '-'));
    writeFileSync(inputPath, bytes);
    allJobs.push({ operation: 'import', inputPath, filename, parameters: {}, usesLibrary });
  };

  /** Adds every operation on a model, and its export in every format. */
  const addOperations = async (name: string, bytes: Uint8Array): Promise<void> => {
    addImport(name, `${name}.stl`, bytes, false);
    const inputPath = path.join(folder, `${name}.model`);
    for (const job of allJobs.slice(-1)) await run(job, runFresh, inputPath);
    for (const { name: operation, parameters } of OPERATION_KINDS.filter(({ input }) => input === 'model')) {
      const all = operation === 'export' ? EXPORT_FORMATS.map(({ id }) => ({ exportToFormat: id })) : [{}];
      for (const more of all) {
        const chosen = { ...chooseParameters(parameters), ...more };
        allJobs.push({ operation, inputPath, filename: `${name}.stl`, parameters: chosen, usesLibrary: false });
      }
    }
  };

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'used-kernels-'));
    emptyFolder = path.join(folder, 'empty');
    mkdirSync(emptyFolder);
    process.env.TMPDIR = emptyFolder;
    const reuse = { count: 1, idleTimeoutMs: 600_000, maxJobs: 10_000, maxResidentBytes: 2 ** 40 };
    warmPool = new WarmKernelPool({ ...KERNEL, reuse });
    runUsed = createKernelRunner({ ...KERNEL, timeoutMs: TIMEOUT_MS, warmPool });
    for (const [name, create] of Object.entries(BUILT_IN_FILES)) {
      const { filename, bytes } = create();
      addImport(name, filename, bytes, false);
    }
    for (const [name, create] of Object.entries(LIBRARY_FILES)) addImport(name, name, await create(), true);
    await addOperations('solid', sphere(12, 16));
    await addOperations('broken', BROKEN);
    jobs = sample(allJobs, countOf('jobs of a used kernel process'));
    for (const job of jobs) expected.set(job, await run(job, runFresh, path.join(folder, 'fresh')));
  });

  after(async () => {
    if (temporaryFolder === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporaryFolder;
    await warmPool.close();
    rmSync(folder, { recursive: true });
  });

  it('is tested with all operations, of which most succeed', () => {
    new Set(allJobs.map(({ operation }) => operation)).size.should.equal(OPERATION_KINDS.length);
    const failures = [...expected].filter(([, { outcome }]) => outcome.type === 'failed');
    failures.length.should.be.below(jobs.length / 5);
  });

  it('gives the outputs of a new process in any order of jobs, and holds no file of them', async () => {
    const order = fc.shuffledSubarray([...jobs, ...jobs], { minLength: ROUNDS * jobs.length });
    let previous: number | undefined;
    let reusedCount = 0;
    for (const job of fc.sample(order, { numRuns: 1, seed: SAMPLE_SEED }).flat()) {
      const output = await run(job, runUsed, path.join(folder, 'used'));
      should(output).deepEqual(expected.get(job), `${job.operation} of ${job.inputPath}`);
      readdirSync(emptyFolder).should.deepEqual([]);
      const [kernel] = findKernelProcesses(process.pid);
      should(kernel !== undefined).equal(output.outcome.type === 'done' && !job.usesLibrary);
      if (kernel && kernel.pid === previous) reusedCount += 1;
      previous = kernel?.pid;
      if (!kernel) continue;
      const descriptors = readdirSync(`/proc/${kernel.pid}/fd`).map((name) => `/proc/${kernel.pid}/fd/${name}`);
      descriptors.filter((name) => readlinkSync(name).startsWith(folder)).should.deepEqual([]);
    }
    reusedCount.should.be.above(jobs.length / 2);
  });
});
