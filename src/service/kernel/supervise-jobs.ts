import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, Worker, type WorkerOptions } from 'node:worker_threads';
import type { ThreadJob } from './job-thread.js';
import { createLineReader } from './line-reader.js';
import { type Job, type JobMessage, WARM_UP } from './messages.js';
import { createOutOfMemoryOutcome } from './out-of-memory.js';

// The line of the job contains paths and parameters.
const MAX_LINE_LENGTH = 1024 * 1024;
const MEMORY_CHECK_MS = 100;
// The fraction of the memory limit for the heap of the job thread. The rest is for the code and the main thread.
const HEAP_FRACTION = 0.8;
// The address range for the machine code of a helping thread. The default, 512 MiB since Node 24, counts as memory.
const HELPER_CODE_MB = 32;

/** Kills this process at once: native code in the other thread can block an orderly exit forever. */
function exitNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

function send(message: JobMessage, then?: () => void): void {
  process.stdout.write(`${JSON.stringify(message)}\n`, then);
}

/** Checks the memory of this process during a job, on systems that do not cap it. Returns a function that stops it. */
function watchMemory({ memoryBytes }: Job): () => void {
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() > memoryBytes) send(createOutOfMemoryOutcome(memoryBytes), exitNow);
  }, MEMORY_CHECK_MS);
  return () => clearInterval(timer);
}

/**
 * Starts the job thread, or one that helps it, whose `workerData` is a port. Discards its stdout, because the stdout of
 * this process carries messages and libraries may print.
 *
 * @param memoryBytes the memory limit of the process. Default: the heap limit of V8.
 */
function startThread(program: string, memoryBytes: number | undefined, options: WorkerOptions = {}): Worker {
  const heapMb = memoryBytes && Math.max(16, Math.floor((memoryBytes * HEAP_FRACTION) / 1024 ** 2));
  const resourceLimits = { ...options.resourceLimits, ...(heapMb && { maxOldGenerationSizeMb: heapMb }) };
  const thread = new Worker(fileURLToPath(program), { ...options, stdout: true, resourceLimits });
  thread.stdout.resume();
  return thread;
}

/**
 * Runs jobs in the thread, one after the other, and forwards its messages. Ends this process unless it can go on.
 * `startHelper`: starts another thread that runs parts of a job, which ends with this process.
 */
function createJobRunner(thread: Worker, startHelper: (port: MessagePort) => Worker): (job: Job) => void {
  let memoryBytes = 0;
  let stopWatching = (): void => undefined;
  let isEnding = false;
  // The output is already written: an orderly shutdown of the thread would only take time.
  const end = (outcome: JobMessage): void => {
    isEnding = true;
    send(outcome, exitNow);
  };
  thread.on('message', (message: JobMessage) => {
    if (message.type !== 'progress') stopWatching();
    if (message.type === 'progress' || message.residentBytes !== undefined) send(message);
    else end(message);
  });
  const endWith = (failing: Worker): void => {
    failing.on('error', (error) => {
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') end(createOutOfMemoryOutcome(memoryBytes));
      else process.stderr.write(`${error.stack ?? error.message}\n`);
    });
    failing.on('exit', () => {
      if (!isEnding) process.exit(1);
    });
  };
  endWith(thread);
  return (job) => {
    ({ memoryBytes } = job);
    if (job.checksOwnMemory) stopWatching = watchMemory(job);
    const ports = Array.from({ length: (job.threads ?? 1) - 1 }, () => {
      const { port1, port2 } = new MessageChannel();
      endWith(startHelper(port2));
      return port1;
    });
    thread.postMessage({ job, ports } satisfies ThreadJob, ports);
  };
}

/**
 * Runs the main thread of a kernel process: reads jobs from stdin, each after the end of the one before, runs them in the
 * job thread and forwards the messages of that thread. For a job with several threads it also starts those that help. The
 * job thread starts before the first job arrives, to overlap both delays. The main thread stays responsive: the process
 * ends as soon as stdin ends, because the parent died, or one of its threads dies.
 *
 * @param program the URL of the file to run in the threads
 * @param memoryBytes the memory limit of the process. Default: the heap limit of V8.
 */
export function superviseJobs(program: string, memoryBytes?: number): void {
  const thread = startThread(program, memoryBytes);
  const run = createJobRunner(thread, (port) => {
    const resourceLimits = { codeRangeSizeMb: HELPER_CODE_MB };
    return startThread(program, memoryBytes, { workerData: port, transferList: [port], resourceLimits });
  });
  const onLine = (line: string): void => {
    if (line === WARM_UP) {
      thread.postMessage(WARM_UP);
      return;
    }
    send({ type: 'progress', progress: 0 }); // tells the parent that the job was read
    run(JSON.parse(line)); // the parent is trusted: it writes a Job
  };
  // A terminal sends Ctrl-C to parent and child. Only the parent handles it, and this process ends with the parent.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.stdin.on('data', createLineReader(MAX_LINE_LENGTH, onLine, exitNow));
  process.stdin.on('end', exitNow);
  process.stdin.on('error', exitNow);
  process.stdout.on('error', exitNow);
}
