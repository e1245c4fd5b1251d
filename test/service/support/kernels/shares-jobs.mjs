// A kernel process whose jobs share a task of two parts with a second thread: each part waits until both run, so that
// each thread runs one. What the second thread does then is the filename of the job.
import { isMainThread, MessagePort, parentPort, workerData } from 'node:worker_threads';
import { superviseJobs } from '../../../../src/service/kernel/supervise-jobs.ts';
import { runTaskThread } from '../../../../src/service/kernel/task-thread.ts';
import { createThreadRunner } from '../../../../src/service/kernel/thread-runner.ts';

const ACTIONS = {
  'works.stl': () => undefined,
  'throws.stl': () => {
    throw new Error('the part failed');
  },
  'exits.stl': () => process.exit(3),
  'cannot-reply.stl': () => () => 'a function cannot be posted',
  'fills-heap.stl': () => {
    const filled = [];
    for (;;) filled.push(new Array(1000).fill(filled.length));
  },
  'allocates.stl': () => {
    const filled = [];
    for (;;) filled.push(new Float64Array(2 ** 20).fill(1));
  },
  'loops.stl': () => {
    for (;;);
  },
};

const TASK = {
  name: 'meet',
  runPart({ filename, arrived }, part) {
    Atomics.add(arrived, 0, 1);
    Atomics.notify(arrived, 0);
    while (Atomics.load(arrived, 0) < 2) Atomics.wait(arrived, 0, 1);
    if (workerData instanceof MessagePort) return { part, isHelper: true, value: ACTIONS[filename]() };
    parentPort.postMessage({ type: 'progress', progress: 0.5 }); // both threads run
    return { part, isHelper: false };
  },
};

if (isMainThread) {
  superviseJobs(import.meta.url, Number(process.argv[2]));
} else if (workerData instanceof MessagePort) {
  await runTaskThread(workerData, [TASK]);
} else {
  parentPort.on('message', ({ job, ports }) => {
    if (ports.length === 0) {
      parentPort.postMessage({ type: 'done', result: { fields: { isAlone: true } } });
      return;
    }
    const input = { filename: job.filename, arrived: new Int32Array(new SharedArrayBuffer(4)) };
    const results = createThreadRunner(ports).start(TASK, input, 2)();
    parentPort.postMessage({ type: 'done', result: { fields: { results } } });
  });
}
