// The process that `bench/kernel/threads.ts` measures: reads a model of a file, and repairs and verifies it with a number
// of threads. The other threads start while it reads, as in the service. Arguments: FILE THREADS. Prints one line of JSON.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread, MessageChannel, type MessagePort, Worker, workerData } from 'node:worker_threads';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { repair } from '../../src/mesh/repair/repair.js';
import { runTaskThread } from '../../src/service/kernel/task-thread.js';
import { createThreadRunner } from '../../src/service/kernel/thread-runner.js';
import { warmUp } from '../../src/service/kernel/warm-up.js';

function startThread(): { port: MessagePort; thread: Worker } {
  const { port1, port2 } = new MessageChannel();
  const thread = new Worker(new URL(import.meta.url), { workerData: port2, transferList: [port2] });
  return { port: port1, thread };
}

async function run(file: string, threadCount: number): Promise<void> {
  for await (const _ of warmUp()); // as a kernel process that waits for its first job
  const threads = Array.from({ length: threadCount - 1 }, startThread);
  try {
    const runner = threads.length === 0 ? undefined : createThreadRunner(threads.map(({ port }) => port));
    const { mesh } = await parseModel(readFileSync(file), { filename: file });
    const start = performance.now();
    const { mesh: repaired, report } = repair(mesh, { runner });
    const ms = performance.now() - start;
    const sha256 = createHash('sha256')
      .update(new Uint8Array(repaired.positions.slice().buffer))
      .update(new Uint8Array(repaired.triangles.slice().buffer))
      .update(JSON.stringify(report))
      .digest('hex');
    const peakMb = process.resourceUsage().maxRSS / 1024;
    writeFileSync(1, JSON.stringify({ ms, peakMb, level: report.verdict.level, sha256 }));
  } finally {
    for (const { thread } of threads) await thread.terminate();
  }
}

if (isMainThread) {
  const [file = '', threadCount = '1'] = process.argv.slice(2);
  run(file, Number(threadCount)).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
} else await runTaskThread(workerData);
