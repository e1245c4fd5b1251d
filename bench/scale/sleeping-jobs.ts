import type { Calls } from '../../test/service/support/account.js';
import { roundTo } from '../service/service-process.js';
import { readSharedCpu, toCpuMs } from './cpu-by-process.js';
import type { BenchProcess, Environment } from './environment.js';
import { runConcurrently } from './run-concurrently.js';

const SLEEP_MS = 2000;
const SLOTS = 2;
const WORKER_COUNTS = [1, 2, 4, 8];
const ROUNDS = 8;
const CONCURRENT_STARTS = 4;

interface RunTimes {
  started_at: number;
  finished_at: number;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Returns the mean time from the start of a job until the start of the next one in the same slot, in ms. All slots are
 * occupied while jobs wait, so each start beyond the first ones follows one end. The mean of the gaps between them does
 * not depend on which end a start is paired with, so both are paired in order.
 */
export function computeCycleMs(runs: readonly RunTimes[], slotCount: number): number {
  const starts = runs.map((run) => run.started_at).toSorted((a, b) => a - b);
  const ends = runs.map((run) => run.finished_at).toSorted((a, b) => a - b);
  const gaps = starts.slice(slotCount).map((start, index) => start - (ends[index] ?? Number.NaN));
  return mean(runs.map((run) => run.finished_at - run.started_at)) + mean(gaps);
}

async function measureRound({ machines }: Environment, user: Calls, fileId: string, slotCount: number) {
  const ids: string[] = [];
  await runConcurrently(slotCount * ROUNDS, CONCURRENT_STARTS, async () => {
    ids.push((await user.post('import', { fileId })).body.operationId);
  });
  for (const id of ids.reverse()) await user.untilCompleted(id);
  const rows = await machines.query(`select started_at::float8, finished_at::float8 from operation
    where id in ('${ids.join("','")}')`);
  const runs = rows.map((row) => ({ started_at: Number(row.started_at), finished_at: Number(row.finished_at) }));
  return computeCycleMs(runs, slotCount);
}

/**
 * Measures how many jobs that sleep for 2 s a growing number of workers run, of as many as their slots could run without
 * any time between two jobs.
 */
export async function measureSleepingJobs(environment: Environment) {
  const api = await environment.startApi();
  const user = await environment.machines.logIn(api.baseUrl);
  const { fileId } = (await user.upload('solid', `${SLEEP_MS}.stl`)).body;
  const rows = [];
  const running: BenchProcess[] = [];
  for (const workers of WORKER_COUNTS) {
    while (running.length < workers) running.push(await environment.startStubWorker(SLOTS));
    const slots = workers * SLOTS;
    const readCpu = readSharedCpu(environment, api, running);
    const before = readCpu();
    const cycleMs = await measureRound(environment, user, fileId, slots);
    const cpuMs = toCpuMs(before, readCpu(), slots * ROUNDS);
    const jobsPerSecond = roundTo((slots * 1000) / cycleMs);
    rows.push({ workers, slots, jobsPerSecond, ofIdeal: roundTo(SLEEP_MS / cycleMs, 3), cpuMs });
  }
  return { sleepMs: SLEEP_MS, rows, min: Math.min(...rows.map(({ ofIdeal }) => ofIdeal)), reach: 0.92 };
}
