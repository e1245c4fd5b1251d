import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { JobTurn } from '../../src/service/kernel/job-turn.js';
import { KernelProcess } from '../../src/service/kernel/kernel-process.js';
import {
  createKernelRunner,
  type JobRequest,
  type KernelRunnerOptions,
} from '../../src/service/kernel/kernel-runner.js';
import { eventually, findDescendants, readStatus } from '../helpers/processes.js';
import { killWhileSuspended } from '../service/support/kill-while-suspended.js';
import { CUBE } from '../service/support/models.js';
import { KERNEL_PROGRAM } from '../service/support/running.js';
import { openTestSandbox } from './support/open-test-sandbox.js';

const MEMORY_BYTES = 256 * 1024 ** 2;
const never = new AbortController().signal;

/** Returns the process that runs a kernel, without those of bubblewrap. */
function findKernel() {
  return findDescendants(process.pid).find(({ command }) => /^\/bin\/node \/kernel\/program/.test(command));
}

describe('A kernel process in a sandbox', () => {
  let folder: string;
  let job: JobRequest;

  const createRunner = async (name: string, more: Partial<KernelRunnerOptions> = {}) => {
    const program = path.resolve('test/service/support/kernels', `${name}.mjs`);
    const sandbox = await openTestSandbox(program, path.join(folder, 'temp'));
    return createKernelRunner({ program, memoryBytes: MEMORY_BYTES, timeoutMs: 60_000, sandbox, ...more });
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'sandbox-'));
    await mkdir(path.join(folder, 'temp'));
    const [inputPath, outputPath] = [path.join(folder, 'cube.stl'), path.join(folder, 'output')];
    await writeFile(inputPath, CUBE);
    job = { operation: 'import', inputPath, outputPath, filename: 'cube.stl', parameters: {} };
  });

  afterEach('leaves no process and no folder behind', async () => {
    should(findKernel()).be.undefined();
    readdirSync(path.join(folder, 'temp')).should.deepEqual([]);
    await rm(folder, { recursive: true });
  });

  it('runs a job', async () => {
    const sandbox = await openTestSandbox(KERNEL_PROGRAM, path.join(folder, 'temp'));
    const options = { program: KERNEL_PROGRAM, memoryBytes: MEMORY_BYTES, timeoutMs: 60_000, sandbox };
    const outcome = await createKernelRunner(options)(job, { signal: never });
    should(outcome).match({ type: 'done', result: { report: { verdict: { level: 'solid' } } } });
    should(outcome.type === 'done' && outcome.output?.size).equal(readFileSync(job.outputPath ?? '').length);
    readFileSync(job.inputPath, 'utf8').should.equal(CUBE);
  });

  it('says that its input was deleted', async () => {
    const sandbox = await openTestSandbox(KERNEL_PROGRAM, path.join(folder, 'temp'));
    const options = { program: KERNEL_PROGRAM, memoryBytes: MEMORY_BYTES, timeoutMs: 60_000, sandbox };
    const missing = { ...job, inputPath: path.join(folder, 'missing') };
    const outcome = await createKernelRunner(options)(missing, { signal: never });
    outcome.should.match({ type: 'failed', code: 'INPUT_MISSING' });
  });

  it('is killed after the timeout', async () => {
    const outcome = await (await createRunner('hangs', { timeoutMs: 300 }))(job, { signal: never });
    outcome.should.match({ code: 'DEADLINE_PASSED' });
  });

  it('is suspended and resumed', async () => {
    const turn = new JobTurn();
    const running = (await createRunner('hangs', { timeoutMs: 2000 }))(job, { signal: never, turn });
    const { pid } = await eventually('it runs', findKernel);
    turn.suspend();
    await eventually('it is suspended', () => /^State:\s+T/m.test(readStatus(pid)));
    turn.resume();
    await eventually('it goes on', () => /^State:\s+[SR]/m.test(readStatus(pid)));
    (await running).should.match({ code: 'DEADLINE_PASSED' });
  });

  it('ends while it is suspended when its signal is aborted', async () => {
    const [turn, stop] = [new JobTurn(), new AbortController()];
    const running = (await createRunner('hangs'))(job, { signal: stop.signal, turn });
    const { pid } = await eventually('it runs', findKernel);
    turn.suspend();
    await eventually('it is suspended', () => /^State:\s+T/m.test(readStatus(pid)));
    stop.abort(new Error('cancelled'));
    await running.should.be.rejectedWith('cancelled');
  });

  it('does not survive its worker while it is suspended', async () => {
    await killWhileSuspended(folder, 'on');
    await rm(path.join(folder, 'sandbox'), { recursive: true });
  });

  it('fails only the job that exceeds the memory limit', async () => {
    const outcome = await (await createRunner('allocates'))(job, { signal: never });
    outcome.should.match({ type: 'failed', code: 'OUT_OF_MEMORY', message: /256 MiB.*--memory/ });
  });

  it('reports the signal of a crash, and what it wrote to stderr', async () => {
    const outputs: string[] = [];
    const run = await createRunner('aborts', { onCrash: (stderr) => outputs.push(stderr) });
    const outcome = await run(job, { signal: never });
    outcome.should.match({ type: 'failed', code: 'KERNEL_CRASHED', message: /SIGABRT.*Report/ });
    outputs.should.have.length(1);
  });

  it('reports its exit status', async () => {
    const outcome = await (await createRunner('ends-silently'))(job, { signal: never });
    outcome.should.match({ type: 'failed', code: 'KERNEL_CRASHED', message: /exit status 0/ });
  });

  for (const [kills, outcome] of [
    [[5, 5], { code: 'KERNEL_CRASHED', message: /ended from outside \(SIGKILL\)/ }],
    [[5, 6], { code: 'OUT_OF_MEMORY', message: /the system ended the kernel process/ }],
  ] as const) {
    it(`tells the reason of a SIGKILL from the counters of the system: ${kills.join(' to ')}`, async () => {
      const counts = [...kills];
      const run = (await createRunner('hangs', { countOomKills: () => counts.shift() }))(job, { signal: never });
      process.kill((await eventually('the process runs', findKernel)).pid, 'SIGKILL');
      (await run).should.match({ type: 'failed', ...outcome });
    });
  }

  it('is killed when the signal is aborted', async () => {
    const stop = new AbortController();
    const run = (await createRunner('hangs'))(job, { signal: stop.signal });
    await eventually('the process runs', findKernel);
    stop.abort(new Error('the service stops'));
    await run.should.be.rejectedWith('the service stops');
  });

  it('has a low priority, and is the first to end when memory is short', async () => {
    const stop = new AbortController();
    const run = (await createRunner('hangs'))(job, { signal: stop.signal });
    const { pid } = await eventually('the process runs', findKernel);
    os.getPriority(pid).should.equal(10);
    readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').should.equal('800\n');
    stop.abort(new Error('enough'));
    await run.should.be.rejected();
  });

  it('gets signals: it is suspended and goes on', async () => {
    const program = path.resolve('test/service/support/kernels/hangs.mjs');
    const sandbox = await openTestSandbox(program, path.join(folder, 'temp'));
    const kernel = new KernelProcess({ program, memoryBytes: MEMORY_BYTES, sandbox });
    const { pid } = await eventually('the process runs', findKernel);
    kernel.signal('SIGSTOP');
    await eventually('it is suspended', () => /^State:\tT/m.test(readStatus(pid)));
    kernel.isAlive.should.equal(true);
    kernel.signal('SIGCONT');
    await eventually('it goes on', () => /^State:\t[SR]/m.test(readStatus(pid)));
    kernel.signal('SIGSTOP');
    await kernel.end();
    kernel.isAlive.should.equal(false);
  });

  it('copies an input that is on another file system', async () => {
    const sandbox = await openTestSandbox(KERNEL_PROGRAM, path.join(folder, 'temp'));
    const other = await mkdtemp('/dev/shm/sandbox-');
    try {
      const inputPath = path.join(other, 'cube.stl');
      await writeFile(inputPath, CUBE);
      const options = { program: KERNEL_PROGRAM, memoryBytes: MEMORY_BYTES, timeoutMs: 60_000, sandbox };
      const outcome = await createKernelRunner(options)({ ...job, inputPath }, { signal: never });
      should(outcome).match({ type: 'done', result: { report: { verdict: { level: 'solid' } } } });
    } finally {
      await rm(other, { recursive: true });
    }
  });

  it('says that there is no sandbox any more', async () => {
    const program = path.join(folder, 'program/hangs.mjs');
    await mkdir(path.dirname(program));
    await writeFile(program, '');
    const sandbox = await openTestSandbox(program, path.join(folder, 'temp'));
    await rm(path.dirname(program), { recursive: true }); // an update replaces the folder of the program
    const run = createKernelRunner({ program, memoryBytes: MEMORY_BYTES, timeoutMs: 60_000, sandbox });
    const error = await run(job, { signal: never }).catch((reason: unknown) => reason);
    should(error).match({ code: 'KERNEL_UNAVAILABLE', message: /got no sandbox \(Can't find source path.*restart/ });
  });
});
