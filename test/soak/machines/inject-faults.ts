import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.js';
import type { Cluster } from './cluster.js';

/** How many faults of each kind to inject, and how long those last that last. */
export interface FaultPlan {
  workerKills: number;
  apiKills: number;
  databaseCrashes: number;
  freezes: number;
  storageStops: number;
  rollingRestarts: number;
  longestFreezeMs: number;
  longestStorageStopMs: number;
}

// Longer than the heartbeat of a claim, so that another worker gets it.
const SHORTEST_FREEZE_MS = 13_000;
const SHORTEST_STOP_MS = 2000;
/** Between two faults of a process, and of the servers that all use: these run for a while before the next one. */
const PROCESS_PAUSE_MS = { min: 500, max: 4000 };
const SERVER_PAUSE_MS = { min: 5000, max: 15_000 };
const DATABASE_DOWN_MS = { min: 0, max: 3000 };

/**
 * Injects the faults: one after the other of each kind, all kinds at the same time. Resolves after the last one, when
 * everything runs again.
 */
export async function injectFaults(cluster: Cluster, plan: FaultPlan, random: Random): Promise<void> {
  const { apis, workers, database, storage } = cluster;
  const processes = [...apis, ...workers];
  const repeat = async (count: number, pauseMs: typeof SERVER_PAUSE_MS, inject: () => Promise<void>): Promise<void> => {
    for (let index = 0; index < count; index++) {
      await sleep(random.integer(pauseMs.min, pauseMs.max));
      await inject();
    }
  };
  await Promise.all([
    repeat(plan.workerKills, PROCESS_PAUSE_MS, () => random.pick(workers).kill()),
    repeat(plan.apiKills, PROCESS_PAUSE_MS, () => random.pick(apis).kill()),
    repeat(plan.databaseCrashes, SERVER_PAUSE_MS, async () => {
      await database.halt('SIGQUIT'); // as `pg_ctl stop -m immediate`
      await sleep(random.integer(DATABASE_DOWN_MS.min, DATABASE_DOWN_MS.max));
      await database.resume();
    }),
    repeat(plan.freezes, PROCESS_PAUSE_MS, () => {
      const ms = random.integer(SHORTEST_FREEZE_MS, plan.longestFreezeMs);
      return random.pick(processes).freeze(ms, random.next() < 0.5);
    }),
    repeat(plan.storageStops, SERVER_PAUSE_MS, async () => {
      await storage.halt(random.next() < 0.5 ? 'SIGKILL' : 'SIGSTOP');
      await sleep(random.integer(SHORTEST_STOP_MS, plan.longestStorageStopMs));
      await storage.resume();
    }),
    repeat(plan.rollingRestarts, SERVER_PAUSE_MS, async () => {
      for (const each of processes) await each.restart();
    }),
  ]);
}
