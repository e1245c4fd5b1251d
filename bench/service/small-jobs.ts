import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, rounded, type ServiceProcess, startService } from './service-process.js';
import { type SmallModel, smallModels } from './small-models.js';

const RUNS = 50;
// As long as the service takes to be ready for the next one, and some more.
const PAUSE_MS = 1500;
const STEPS = ['import', 'repair', 'export'] as const;

type Step = (typeof STEPS)[number];

/** step → ms of each of its jobs */
type Times = Record<Step, number[]>;

const bodyOf = (step: Step, inputId: string): object => {
  if (step === 'import') return { fileId: inputId };
  return { inputId, ...(step === 'export' && { exportToFormat: 'stl' }) };
};

/** Runs one job; answers what it made, and the time from its start by the client until its end is written down. */
const runJob = async (
  { api }: ServiceProcess,
  step: Step,
  inputId: string,
): Promise<{ ms: number; madeId: string }> => {
  const start = Date.now();
  const { status, result } = await api.run(step, bodyOf(step, inputId));
  if (!status.body.isSuccessful) throw new Error(`${step} failed: ${JSON.stringify(status.body.error)}`);
  return { ms: Date.parse(status.body.finishedAt) - start, madeId: result.body.resultId };
};

/** When there are pauses: before the import, and before the jobs that follow it. */
interface Pauses {
  firstMs: number;
  nextMs: number;
}

const runChains = async (service: ServiceProcess, models: readonly SmallModel[], pauses: Pauses): Promise<Times> => {
  const times: Times = { import: [], repair: [], export: [] };
  const files: string[] = [];
  for (const { stl } of models) files.push((await service.api.upload(stl, 'small.stl')).body.fileId);
  for (let run = 0; run < RUNS; run++) {
    let id = files[run % files.length] ?? '';
    for (const step of STEPS) {
      await sleep(step === 'import' ? pauses.firstMs : pauses.nextMs);
      const { ms, madeId } = await runJob(service, step, id);
      times[step].push(ms);
      id = madeId;
    }
  }
  return times;
};

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;

const figuresOf = (times: Times): object =>
  Object.fromEntries(
    STEPS.map((step) => [step, { p50: rounded(median(times[step]), 0), p95: rounded(p95(times[step]), 0) }]),
  );

/**
 * How long a whole job for a broken model of two to ten thousand triangles takes in an idle service, in ms: `single` jobs with a pause before each; a
 * `chain`, whose jobs follow each other at once, with a pause before it; and `chains` without any pause. The reach is for p50.
 */
export const measureSmallJobs = async (folder: string) => {
  const service = await startService(path.join(folder, 'jobs'), ['--workers', '1']);
  const models = smallModels();
  const triangles = models.map((model) => model.triangles).join(', ');
  try {
    return {
      smallJobsMs: {
        triangles,
        single: figuresOf(await runChains(service, models, { firstMs: PAUSE_MS, nextMs: PAUSE_MS })),
        chain: figuresOf(await runChains(service, models, { firstMs: PAUSE_MS, nextMs: 0 })),
        chains: figuresOf(await runChains(service, models, { firstMs: 0, nextMs: 0 })),
        reach: 150,
      },
    };
  } finally {
    await service.close();
  }
};
