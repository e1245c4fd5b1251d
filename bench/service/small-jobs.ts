import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, roundTo, type ServiceProcess, startService } from './service-process.js';
import { createSmallModels, type SmallModel } from './small-models.js';

const RUNS = 50;
// Longer than the service takes to warm up the next kernel process.
const PAUSE_MS = 1500;
const STEPS = ['import', 'repair', 'export'] as const;

type Step = (typeof STEPS)[number];

/** step → ms of each of its jobs */
export type Times = Record<Step, number[]>;

function createBody(step: Step, inputId: string): object {
  if (step === 'import') return { fileId: inputId };
  return { inputId, ...(step === 'export' && { exportToFormat: 'stl' }) };
}

/** Runs one job. Returns the id of its output and the time from its start by the client until its recorded end. */
async function runJob({ api }: ServiceProcess, step: Step, inputId: string): Promise<{ ms: number; outputId: string }> {
  const start = Date.now();
  const { status, result } = await api.run(step, createBody(step, inputId));
  if (!status.body.isSuccessful) throw new Error(`${step} failed: ${JSON.stringify(status.body.error)}`);
  return { ms: Date.parse(status.body.finishedAt) - start, outputId: result.body.resultId };
}

/** Delays before the import and before the jobs that follow it. */
interface Pauses {
  firstMs: number;
  nextMs: number;
}

/** Runs chains of jobs, one after the other. Resolves with the time of each job. */
export async function runChains(
  service: ServiceProcess,
  models: readonly SmallModel[],
  pauses: Pauses,
  runs = RUNS,
): Promise<Times> {
  const times: Times = { import: [], repair: [], export: [] };
  const files: string[] = [];
  for (const { stl } of models) files.push((await service.api.upload(stl, 'small.stl')).body.fileId);
  for (let run = 0; run < runs; run++) {
    let id = files[run % files.length] ?? '';
    for (const step of STEPS) {
      await sleep(step === 'import' ? pauses.firstMs : pauses.nextMs);
      const { ms, outputId } = await runJob(service, step, id);
      times[step].push(ms);
      id = outputId;
    }
  }
  return times;
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}

/** Returns the percentiles of the times of each step. */
export function createFigures(times: Times): object {
  return Object.fromEntries(
    STEPS.map((step) => [step, { p50: roundTo(median(times[step]), 0), p95: roundTo(p95(times[step]), 0) }]),
  );
}

/**
 * Measures jobs for broken models of two to ten thousand triangles in an idle service, in ms: `single` jobs with a
 * pause before each, a `chain` of consecutive jobs with a pause before it, and `chains` without pauses. The target is
 * for p50.
 */
export async function measureSmallJobs(folder: string) {
  const service = await startService(path.join(folder, 'jobs'), ['--workers', '1']);
  const models = createSmallModels();
  const triangles = models.map((model) => model.triangles).join(', ');
  try {
    return {
      smallJobsMs: {
        triangles,
        single: createFigures(await runChains(service, models, { firstMs: PAUSE_MS, nextMs: PAUSE_MS })),
        chain: createFigures(await runChains(service, models, { firstMs: PAUSE_MS, nextMs: 0 })),
        chains: createFigures(await runChains(service, models, { firstMs: 0, nextMs: 0 })),
        reach: 150,
      },
    };
  } finally {
    await service.close();
  }
}
