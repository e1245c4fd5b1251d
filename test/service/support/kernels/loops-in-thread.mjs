// The job thread never returns; the main thread watches stdin, as in the real kernel process.
import { isMainThread, Worker } from 'node:worker_threads';

if (isMainThread) {
  process.stdin.resume();
  process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
  new Worker(new URL(import.meta.url));
} else {
  for (;;);
}
