import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { JobTurn } from '../../../src/service/kernel/job-turn.js';
import {
  createKernelRunner,
  type JobRequest,
  type KernelRunnerOptions,
} from '../../../src/service/kernel/kernel-runner.js';
import { eventually, findDescendants, readStatus } from '../../helpers/processes.js';
import { bundleKernel } from '../support/bundle-kernel.js';
import { killWhileSuspended } from '../support/kill-while-suspended.js';

const JOB: JobRequest = { operation: 'repair', inputPath: 'in', outputPath: 'out', filename: 'a.stl', parameters: {} };

function kernel(name: string): string {
  return path.resolve('test/service/support/kernels', `${name}.mjs`);
}

function kernelProcesses() {
  return findDescendants(process.pid).filter(({ command }) => command.includes('support/kernels'));
}

describe('createKernelRunner', () => {
  const never = new AbortController().signal;
  const runner = (program: string, more: Partial<KernelRunnerOptions> = {}) =>
    createKernelRunner({ program: kernel(program), memoryBytes: 256 * 1024 ** 2, timeoutMs: 60_000, ...more });

  afterEach('leaves no process behind', () => {
    kernelProcesses().should.deepEqual([]);
  });

  it('kills the process after the timeout, and fails its job with a remedy', async () => {
    const outcome = await runner('hangs', { timeoutMs: 200 })(JOB, { signal: never });
    outcome.should.match({ type: 'failed', code: 'DEADLINE_PASSED', message: /timed out after 0 s.*Reduce/ });
  });

  it('kills the process after the timeout even if its job thread is blocked', async () => {
    const outcome = await runner('loops-in-thread', { timeoutMs: 500 })(JOB, { signal: never });
    outcome.should.match({ code: 'DEADLINE_PASSED' });
  });

  it('fails only the job that exceeds the memory limit, and reports the limit', async () => {
    const outcome = await runner('allocates')(JOB, { signal: never });
    outcome.should.match({ type: 'failed', code: 'OUT_OF_MEMORY', message: /256 MiB.*--memory/ });
  });

  it('fails only the job whose process crashes, and passes on its stderr', async () => {
    const outputs: string[] = [];
    const outcome = await runner('aborts', { onCrash: (stderr) => outputs.push(stderr) })(JOB, { signal: never });
    outcome.should.match({ type: 'failed', code: 'KERNEL_CRASHED', message: /SIGABRT.*Report/ });
    outputs.should.have.length(1);
  });

  for (const [kills, outcome] of [
    [[5, 5], { code: 'KERNEL_CRASHED', message: /ended from outside \(SIGKILL\)/ }],
    [[undefined, undefined], { code: 'KERNEL_CRASHED', message: /ended from outside \(SIGKILL\)/ }],
    [[5, 6], { code: 'OUT_OF_MEMORY', message: /the system ended the kernel process/ }],
  ] as const) {
    it(`tells the reason of a SIGKILL from the counters of the system: ${kills.join(' to ')}`, async () => {
      const counts = [...kills];
      const run = runner('hangs', { countOomKills: () => counts.shift() })(JOB, { signal: never });
      const child = await eventually('the process runs', () => kernelProcesses()[0]);
      process.kill(child.pid, 'SIGKILL');
      (await run).should.match({ type: 'failed', ...outcome });
    });
  }

  it('fails the job of a process that exits without a result', async () => {
    const outcome = await runner('ends-silently')(JOB, { signal: never });
    outcome.should.match({ type: 'failed', code: 'KERNEL_CRASHED', message: /exit status 0/ });
  });

  it('ignores lines that are not messages', async () => {
    const outcome = await runner('chatters')(JOB, { signal: never });
    outcome.should.deepEqual({ type: 'done', result: {} });
  });

  it('ignores the output of the job thread', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kernel-runner-'));
    try {
      const program = await bundleKernel('prints-in-thread', folder);
      const outcome = await runner('', { program })(JOB, { signal: never });
      outcome.should.match({ type: 'failed', code: 'FILE_EMPTY', message: 'the real one' });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('kills the process when the signal is aborted, and rejects with its reason', async () => {
    const stop = new AbortController();
    const run = runner('hangs')(JOB, { signal: stop.signal });
    await eventually('the process runs', () => kernelProcesses().length > 0);
    stop.abort(new Error('the service stops'));
    await run.should.be.rejectedWith('the service stops');
  });

  it('starts no process if the signal is already aborted', async () => {
    const run = runner('hangs')(JOB, { signal: AbortSignal.abort(new Error('too late')) });
    await run.should.be.rejectedWith('too late');
  });

  it('passes the job with its memory limit, and only the listed environment variables', async () => {
    process.env.MODEL_PROCESSING_PASSWORD = 'secret';
    process.env.NODE_OPTIONS_FOR_TEST = '--inspect';
    try {
      const outcome = await runner('tells-environment')(JOB, { signal: never });
      // the kernel of this test returns this instead of a report
      const { report } = outcome.result as unknown as { report: { environment: object; job: object } };
      should(report.job).match({ ...JOB, memoryBytes: 256 * 1024 ** 2 });
      Object.keys(report.environment).should.not.containEql('MODEL_PROCESSING_PASSWORD');
      Object.keys(report.environment).should.not.containEql('NODE_OPTIONS_FOR_TEST');
    } finally {
      delete process.env.MODEL_PROCESSING_PASSWORD;
      delete process.env.NODE_OPTIONS_FOR_TEST;
    }
  });

  const untilSuspended = () =>
    eventually('it is suspended', () => kernelProcesses().find(({ pid }) => /^State:\s+T/m.test(readStatus(pid))));

  it('suspends the process, whose timeout stands still, and resumes it', async () => {
    const turn = new JobTurn();
    const run = runner('hangs', { timeoutMs: 300 });
    const suspended = run(JOB, { signal: never, turn });
    turn.suspend();
    const { pid } = await untilSuspended();
    (await run(JOB, { signal: never })).should.match({ code: 'DEADLINE_PASSED' }); // it began later
    readStatus(pid).should.match(/^State:\s+T/m);
    turn.resume();
    (await suspended).should.match({ code: 'DEADLINE_PASSED' });
  });

  it('ends a suspended process when the signal is aborted', async () => {
    const [turn, stop] = [new JobTurn(), new AbortController()];
    const run = runner('hangs')(JOB, { signal: stop.signal, turn });
    turn.suspend();
    await untilSuspended();
    stop.abort(new Error('cancelled'));
    await run.should.be.rejectedWith('cancelled');
  });

  it('reports that a suspended process was killed', async () => {
    const turn = new JobTurn();
    const run = runner('hangs')(JOB, { signal: never, turn });
    turn.suspend();
    process.kill((await untilSuspended()).pid, 'SIGKILL');
    (await run).should.match({ code: 'KERNEL_CRASHED', message: /SIGKILL/ });
    const isGuard = ({ command }: { command: string }): boolean => command.includes('read -r line');
    await eventually('its guard has ended', () => !findDescendants(process.pid).some(isGuard));
  });

  it('leaves no suspended process behind when it is killed itself', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kernel-runner-'));
    try {
      await killWhileSuspended(folder, 'off');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('runs the process at low priority', async () => {
    const stop = new AbortController();
    const run = runner('hangs')(JOB, { signal: stop.signal });
    const child = await eventually('the process runs', () => kernelProcesses()[0]);
    os.getPriority(child.pid).should.equal(10);
    stop.abort(new Error('enough'));
    await run.should.be.rejected();
  });
});
