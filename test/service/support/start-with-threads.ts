// Starts the given number of threads, then a kernel process that prints its limit, and prints that.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { startKernel } from '../../../src/service/kernel/start-kernel.js';

const [threadCount = '', program = ''] = process.argv.slice(2);
for (let count = 0; count < Number(threadCount); count++) {
  const thread = new Worker('setInterval(() => undefined, 1000)', { eval: true });
  await once(thread, 'online');
  thread.unref();
}
const { stdout } = startKernel({ program, memoryBytes: 300 * 1024 ** 2 });
if (stdout) process.stdout.write(await text(stdout));
process.exit();
