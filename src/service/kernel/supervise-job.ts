import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createLineReader } from './line-reader.js';
import { type Job, type JobMessage, WARM_UP } from './messages.js';
import { outOfMemory } from './out-of-memory.js';

// The job's line holds paths and parameters.
const MAX_LINE_LENGTH = 1024 * 1024;
const MEMORY_CHECK_MS = 100;
// What is left of the cap for the code and the main thread.
const HEAP_FRACTION = 0.8;

/** Gone at once, whatever the other thread does: a call into native code can hold up an orderly exit for ever. */
function exitNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

function send(message: JobMessage, then?: () => void): void {
  process.stdout.write(`${JSON.stringify(message)}\n`, then);
}

/** Where the system caps no memory, the process looks at itself. */
function watchMemory(job: Job): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > job.memoryBytes) send(outOfMemory(job.memoryBytes), exitNow);
  }, MEMORY_CHECK_MS);
}

/** Starts the thread that runs the job, which waits for it. What it prints goes nowhere: our stdout is for messages, and files can make libraries print. `memoryBytes`: what the process may take; absent: as much as V8 gives. */
function startThread(program: string, memoryBytes: number | undefined): Worker {
  const heapMb = memoryBytes && Math.max(16, Math.floor((memoryBytes * HEAP_FRACTION) / 1024 ** 2));
  const resourceLimits = heapMb ? { maxOldGenerationSizeMb: heapMb } : {};
  const thread = new Worker(fileURLToPath(program), { stdout: true, resourceLimits });
  thread.stdout.resume();
  return thread;
}

function run(job: Job, thread: Worker): void {
  if (job.checksOwnMemory) watchMemory(job);
  let hasEnded = false;
  // The output is written: to take the thread down in order would only take its time.
  const end = (last: JobMessage): void => {
    hasEnded = true;
    send(last, exitNow);
  };
  thread.on('message', (message: JobMessage) => {
    if (message.type === 'done' || message.type === 'failed') end(message);
    else send(message);
  });
  thread.on('error', (error) => {
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') end(outOfMemory(job.memoryBytes));
    else process.stderr.write(`${error.stack ?? error.message}\n`);
  });
  thread.on('exit', () => {
    if (!hasEnded) process.exit(1);
  });
  thread.postMessage(job);
}

/**
 * The main thread of a kernel process: reads one job from stdin, has it run in a thread of its own, and passes on what that says. It only
 * watches, so that it sees at any moment that stdin ended, which means that the parent died: then the process ends at once. The thread is started
 * before the job is there, since both take their time.
 * `program`: the URL of the file to run in the thread. `memoryBytes`: what the process may take. Default: what V8 gives.
 */
export function superviseJob(program: string, memoryBytes?: number): void {
  const thread = startThread(program, memoryBytes);
  let hasReceivedJob = false;
  const onLine = (line: string): void => {
    if (hasReceivedJob) return;
    if (line === WARM_UP) {
      thread.postMessage(WARM_UP);
      return;
    }
    hasReceivedJob = true;
    send({ type: 'progress', progress: 0 }); // the parent learns that the job was read
    run(JSON.parse(line), thread); // the parent is ours, and what it writes is a Job
  };
  // A terminal sends Ctrl-C to parent and child alike. The parent decides what becomes of the job, and its end is ours.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.stdin.on('data', createLineReader(MAX_LINE_LENGTH, onLine, exitNow));
  process.stdin.on('end', exitNow);
  process.stdin.on('error', exitNow);
  process.stdout.on('error', exitNow);
}
