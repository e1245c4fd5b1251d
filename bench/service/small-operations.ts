import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createKernelRunner } from '../../src/service/kernel/kernel-runner.js';
import { sphere } from '../../test/service/support/models.js';
import { measureSeconds, roundTo, type ServiceProcess, startService } from './service-process.js';

const COUNT = 1000;
const CONCURRENT_STARTS = 16;
const WORKERS = 2;
const MEMORY = 1024 ** 3;
// 1,000 triangles
const SMALL = sphere(21, 25);

/** Calls `run` for 0 to COUNT - 1, at most `concurrency` at a time. */
async function runConcurrently(concurrency: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const stream = async (): Promise<void> => {
    while (next < COUNT) await run(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, stream));
}

async function measureService({ api }: ServiceProcess, inputId: string): Promise<number> {
  return measureSeconds(async () => {
    const ids: string[] = [];
    await runConcurrently(CONCURRENT_STARTS, async () => {
      ids.push((await api.post('repair', { inputId })).body.operationId);
    });
    for (const id of ids.reverse()) {
      const { body } = await api.untilCompleted(id);
      if (!body.isSuccessful) throw new Error(`An operation failed: ${JSON.stringify(body.error)}`);
    }
  });
}

function bareLoop(inputPath: string, folder: string): Promise<number> {
  const runJob = createKernelRunner({
    program: path.resolve('dist/src/service/kernel-process.js'),
    memoryBytes: MEMORY,
    timeoutMs: 60_000,
  });
  const { signal } = new AbortController();
  mkdirSync(folder);
  return measureSeconds(() =>
    runConcurrently(WORKERS, async (index) => {
      const outputPath = path.join(folder, String(index));
      const job = { operation: 'repair', inputPath, outputPath, filename: 'small.stl', parameters: {} };
      const outcome = await runJob(job, { signal });
      if (outcome.type !== 'done') throw new Error(`A job failed: ${outcome.message}`);
    }),
  );
}

/** Measures 1,000 queued repairs of a model of 1,000 triangles, and the same kernel jobs in a bare loop. */
export async function measureSmallOperations(folder: string) {
  const args = ['--workers', String(WORKERS), '--memory', String(MEMORY)];
  const service = await startService(path.join(folder, 'small'), args);
  try {
    const { fileId } = (await service.api.upload(SMALL, 'small.stl')).body;
    const { resultId } = (await service.api.run('import', { fileId })).result.body;
    const inputPath = path.join(service.data, 'blobs', resultId.slice(0, 2), resultId);
    const bare = await bareLoop(inputPath, path.join(folder, 'bare'));
    const ours = await measureService(service, resultId);
    const ratio = roundTo(bare / ours);
    return {
      smallRepairs: {
        count: COUNT,
        seconds: roundTo(ours),
        bareLoop: roundTo(bare),
        speedOfBareLoop: ratio,
        reach: 0.7,
      },
    };
  } finally {
    await service.close();
  }
}
