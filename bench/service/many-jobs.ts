import os from 'node:os';
import path from 'node:path';
import { findKernelProcesses } from '../../test/helpers/processes.js';
import { runConcurrently } from '../scale/run-concurrently.js';
import { median, residentMib, roundTo, type ServiceProcess, startService } from './service-process.js';
import { createDifferentModel } from './small-models.js';

const JOBS = Number(process.env.MANY_JOBS ?? 10_000);
const SAMPLES = 10;
/** The memory of the kernel processes is read after so many jobs. */
const JOBS_PER_READING = 100;
const CONCURRENT_STARTS = 16;

/** Returns the load average of the last minute. */
function readLoad(): number {
  return roundTo(os.loadavg()[0] ?? Number.NaN, 1);
}

/** Returns the resident memory of a service and of its kernel processes, in MiB. */
export function readMemory({ pid }: ServiceProcess) {
  const kernels = findKernelProcesses(pid).map((kernel) => residentMib(kernel.pid));
  return { service: roundTo(residentMib(pid), 0), kernels: kernels.map((mib) => roundTo(mib, 0)) };
}

/** Repairs models. Throws if a repair fails. */
export async function repairAll({ api }: ServiceProcess, inputIds: readonly string[]): Promise<void> {
  const operations: string[] = [];
  await runConcurrently(inputIds.length, CONCURRENT_STARTS, async (index) => {
    operations.push((await api.post('repair', { inputId: inputIds[index] })).body.operationId);
  });
  for (const id of operations.reverse()) {
    const { body } = await api.untilCompleted(id);
    if (!body.isSuccessful) throw new Error(`An operation failed: ${JSON.stringify(body.error)}`);
  }
}

/** The memory after so many jobs. `largestKernelMib`: since the row before. */
interface Row {
  jobs: number;
  serviceMib: number;
  largestKernelMib: number;
}

/** Runs many jobs. Resolves with the memory of the service, and that of the largest kernel process before. */
async function measureSample(service: ServiceProcess, inputId: string, jobs: number) {
  const kernels: number[] = [];
  for (let count = 0; count < jobs; count += JOBS_PER_READING) {
    await repairAll(service, Array<string>(Math.min(JOBS_PER_READING, jobs - count)).fill(inputId));
    kernels.push(...readMemory(service).kernels);
  }
  return { serviceMib: readMemory(service).service, kernels };
}

/**
 * Measures the memory of the service during many repairs of 1,000 triangles, and that of its kernel processes, which end
 * after 500 jobs. The ratio is that after all jobs to that after a tenth of them.
 */
export async function measureManyJobs(folder: string) {
  const service = await startService(path.join(folder, 'many'), ['--workers', '2', '--memory', '1G']);
  const loadBefore = readLoad();
  try {
    const { fileId } = (await service.api.upload(createDifferentModel(0), 'small.stl')).body;
    const { resultId } = (await service.api.run('import', { fileId })).result.body;
    const rows: Row[] = [];
    const all: number[] = [];
    for (let sample = 1; sample <= SAMPLES; sample++) {
      const { serviceMib, kernels } = await measureSample(service, resultId, JOBS / SAMPLES);
      rows.push({ jobs: (sample * JOBS) / SAMPLES, serviceMib, largestKernelMib: Math.max(...kernels) });
      all.push(...kernels);
      console.log(rows.at(-1));
    }
    const growth = (key: Exclude<keyof Row, 'jobs'>): number =>
      roundTo((rows.at(-1)?.[key] ?? Number.NaN) / (rows[0]?.[key] ?? Number.NaN));
    return {
      manyJobs: {
        rows,
        medianKernelMib: median(all),
        ratio: { service: growth('serviceMib'), largestKernel: growth('largestKernelMib') },
        load: { before: loadBefore, after: readLoad() },
      },
    };
  } finally {
    await service.close();
  }
}
