import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sumCpuSeconds } from '../scale/cpu-seconds.js';
import { runConcurrently } from '../scale/run-concurrently.js';
import { readMemory, repairAll } from './many-jobs.js';
import { measureSeconds, roundTo, type ServiceProcess, startService } from './service-process.js';
import { createFigures, runChains, type Times } from './small-jobs.js';
import { createDifferentModel, createSmallModels } from './small-models.js';
import { withCommit } from './with-commit.js';

/** The commit before the first one in which a kernel process runs several jobs. */
const EARLIER_COMMIT = 'c8eae25e';

const REPAIR_COUNT = Number(process.env.REPAIR_COUNT ?? 1000);
/** The services take turns after so many repairs, or chains. */
const REPAIRS_PER_TURN = 100;
const CHAINS = Number(process.env.CHAINS ?? 50);
const CHAINS_PER_TURN = 10;
const CONCURRENT_STARTS = 16;
/** Longer than processes that ran jobs wait for more. */
const IDLE_MS = 15_000;

interface Sides<T> {
  before: T;
  now: T;
}

/** Returns the load average of the last minute. */
function readLoad(): number {
  return roundTo(os.loadavg()[0] ?? Number.NaN, 1);
}

async function importModels({ api }: ServiceProcess): Promise<string[]> {
  const ids: string[] = [];
  await runConcurrently(REPAIR_COUNT, CONCURRENT_STARTS, async (index) => {
    const { fileId } = (await api.upload(createDifferentModel(index), `${index}.stl`)).body;
    ids.push((await api.run('import', { fileId })).result.body.resultId);
  });
  return ids;
}

async function measureRepairs(services: Sides<ServiceProcess>): Promise<object> {
  const ids = { before: await importModels(services.before), now: await importModels(services.now) };
  const seconds = { before: 0, now: 0 };
  const cpuSeconds = { before: 0, now: 0 };
  for (let first = 0; first < REPAIR_COUNT; first += REPAIRS_PER_TURN) {
    for (const side of ['before', 'now'] as const) {
      const cpuSecondsBefore = sumCpuSeconds([services[side].pid]);
      const turn = ids[side].slice(first, first + REPAIRS_PER_TURN);
      seconds[side] += await measureSeconds(() => repairAll(services[side], turn));
      cpuSeconds[side] += sumCpuSeconds([services[side].pid]) - cpuSecondsBefore;
    }
  }
  const perSecond = { before: roundTo(REPAIR_COUNT / seconds.before, 1), now: roundTo(REPAIR_COUNT / seconds.now, 1) };
  const toMs = (all: number): number => roundTo((all * 1000) / REPAIR_COUNT, 1);
  const cpuMs = { before: toMs(cpuSeconds.before), now: toMs(cpuSeconds.now) };
  return { count: REPAIR_COUNT, perSecond, ratio: roundTo(seconds.before / seconds.now, 1), cpuMs, reach: 4 };
}

async function measureChains(services: Sides<ServiceProcess>): Promise<object> {
  const models = createSmallModels();
  const times: Sides<Times[]> = { before: [], now: [] };
  for (let first = 0; first < CHAINS; first += CHAINS_PER_TURN) {
    for (const side of ['before', 'now'] as const) {
      times[side].push(await runChains(services[side], models, { firstMs: 0, nextMs: 0 }, CHAINS_PER_TURN));
    }
  }
  const merge = (all: Times[]): Times => ({
    import: all.flatMap((one) => one.import),
    repair: all.flatMap((one) => one.repair),
    export: all.flatMap((one) => one.export),
  });
  const reach = { import: 40, repair: 60, export: 20 };
  return { before: createFigures(merge(times.before)), now: createFigures(merge(times.now)), reach };
}

async function measureIdleMemory(services: Sides<ServiceProcess>): Promise<object> {
  await sleep(IDLE_MS);
  return { before: readMemory(services.before), now: readMemory(services.now) };
}

/**
 * Compares small jobs with those of the commit before kernel processes ran several jobs. Both services run, and take turns.
 */
export function measureEarlierCommit(folder: string) {
  const earlier = path.join(folder, 'earlier');
  const loadBefore = readLoad();
  return withCommit(earlier, EARLIER_COMMIT, async () => {
    const start = (name: string, workers: number, checkout: string) =>
      startService(path.join(folder, name), ['--workers', String(workers), '--memory', '1G'], checkout);
    const withServices = async (workers: number, measure: (services: Sides<ServiceProcess>) => Promise<object>) => {
      const services = {
        before: await start(`before-${workers}`, workers, earlier),
        now: await start(`now-${workers}`, workers, '.'),
      };
      try {
        return await measure(services);
      } finally {
        await services.before.close();
        await services.now.close();
      }
    };
    const chains = await withServices(1, measureChains);
    console.dir(chains, { depth: null });
    const figures = await withServices(2, async (services) => ({
      differentRepairs: await measureRepairs(services),
      idleMib: await measureIdleMemory(services),
    }));
    const load = { before: loadBefore, after: readLoad() };
    return { manyJobsPerKernel: { commit: EARLIER_COMMIT, load, chains, ...figures } };
  });
}
