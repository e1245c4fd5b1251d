import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { createKernelRunner, type JobRequest } from '../../../src/service/kernel/kernel-runner.js';
import { descendantsOf, eventually } from '../../helpers/processes.js';

const JOB: JobRequest = { operation: 'repair', inputPath: 'in', outputPath: 'out', filename: 'a.stl', parameters: {} };

function kernel(name: string): string {
  return path.resolve('test/service/support/kernels', `${name}.mjs`);
}

function children() {
  return descendantsOf(process.pid).filter(({ command }) => command.includes('support/kernels'));
}

describe('a kernel process', () => {
  const never = new AbortController().signal;
  const runner = (program: string, more: { timeoutMs?: number; onCrash?: (stderr: string) => void } = {}) =>
    createKernelRunner({ program: kernel(program), memoryBytes: 256 * 1024 ** 2, timeoutMs: 60_000, ...more });

  afterEach('leaves no process behind', () => {
    children().should.deepEqual([]);
  });

  it('is ended at the deadline, and its job fails with a remedy', async () => {
    const outcome = await runner('hangs', { timeoutMs: 200 })(JOB, { signal: never });
    outcome.should.match({ type: 'failed', code: 'DEADLINE_PASSED', message: /timed out after 0 s.*Reduce/ });
  });

  it('is ended at the deadline also when its thread never comes back', async () => {
    const outcome = await runner('loops-in-thread', { timeoutMs: 500 })(JOB, { signal: never });
    outcome.should.match({ code: 'DEADLINE_PASSED' });
  });

  it('fails its job alone when it takes more memory than it may, and says how much that is', async () => {
    const outcome = await runner('allocates')(JOB, { signal: never });
    outcome.should.match({ type: 'failed', code: 'OUT_OF_MEMORY', message: /256 MiB.*--memory/ });
  });

  it('fails its job alone when it breaks down, and its last words are logged', async () => {
    const words: string[] = [];
    const outcome = await runner('aborts', { onCrash: (stderr) => words.push(stderr) })(JOB, { signal: never });
    outcome.should.match({ type: 'failed', code: 'KERNEL_CRASHED', message: /SIGABRT.*Report/ });
    words.should.have.length(1);
  });

  it('has failed when it ends without a word', async () => {
    const outcome = await runner('ends-silently')(JOB, { signal: never });
    outcome.should.match({ type: 'failed', code: 'KERNEL_CRASHED', message: /exit status 0/ });
  });

  it('may say what is no message: that is passed over', async () => {
    const outcome = await runner('chatters')(JOB, { signal: never });
    outcome.should.deepEqual({ type: 'done', result: {} });
  });

  it('says nothing but what its main thread says: what the thread of the job prints is no message', async () => {
    const outcome = await runner('prints-in-thread')(JOB, { signal: never });
    outcome.should.match({ type: 'failed', code: 'FILE_EMPTY', message: 'the real one' });
  });

  it('is ended by the signal, and the run rejects with its reason', async () => {
    const stop = new AbortController();
    const run = runner('hangs')(JOB, { signal: stop.signal });
    await eventually('the process runs', () => children().length > 0);
    stop.abort(new Error('the service stops'));
    await run.should.be.rejectedWith('the service stops');
  });

  it('is not started at all for a signal that came before', async () => {
    const run = runner('hangs')(JOB, { signal: AbortSignal.abort(new Error('too late')) });
    await run.should.be.rejectedWith('too late');
  });

  it('gets the job with its cap of memory, and of the environment only what it needs', async () => {
    process.env.MODEL_PROCESSING_PASSWORD = 'secret of somebody';
    process.env.NODE_OPTIONS_FOR_TEST = '--inspect';
    try {
      const outcome = await runner('tells-environment')(JOB, { signal: never });
      // the test's kernel answers with this in place of a report
      const { report } = outcome.result as unknown as { report: { environment: object; job: object } };
      should(report.job).match({ ...JOB, memoryBytes: 256 * 1024 ** 2 });
      Object.keys(report.environment).should.not.containEql('MODEL_PROCESSING_PASSWORD');
      Object.keys(report.environment).should.not.containEql('NODE_OPTIONS_FOR_TEST');
    } finally {
      delete process.env.MODEL_PROCESSING_PASSWORD;
      delete process.env.NODE_OPTIONS_FOR_TEST;
    }
  });

  it('runs at a low priority', async () => {
    const stop = new AbortController();
    const run = runner('hangs')(JOB, { signal: stop.signal });
    const child = await eventually('the process runs', () => children()[0]);
    os.getPriority(child.pid).should.equal(10);
    stop.abort(new Error('enough'));
    await run.should.be.rejected();
  });
});
