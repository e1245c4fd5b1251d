// The real main thread of a kernel process, and a job thread that prints a forged result before it posts the real one.
import { isMainThread, parentPort } from 'node:worker_threads';
import { superviseJobs } from '../../../../src/service/kernel/supervise-jobs.ts';

if (isMainThread) {
  superviseJobs(import.meta.url);
} else {
  parentPort.once('message', () => {
    process.stdout.write(`${JSON.stringify({ type: 'done', result: {} })}\n`, () =>
      parentPort.postMessage({ type: 'failed', code: 'FILE_EMPTY', message: 'the real one' }),
    );
  });
}
