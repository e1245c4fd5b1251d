import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { JOB_MEMORY, WARM_POOL } from '../defaults.js';

/** What this process may use: of the container where there is one, else of the machine. */
export interface Capacity {
  cores: number;
  memoryBytes: number;
}

/** How much is done at once, and how much memory one job may take. */
export interface ConcurrencyPlan {
  workers: number;
  jobMemoryBytes: number;
}

/** Answers the text of a small file, or `undefined` where there is none. */
export type ReadText = (file: string) => string | undefined;

const CGROUPS = '/sys/fs/cgroup';

const readText: ReadText = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // no such limit on this system
  }
};

/** Our own control group and those above it, each of which may limit us. Version 1 has one tree a controller. */
function controlGroups(read: ReadText): string[] {
  const own = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1] ?? '/';
  const folders: string[] = [];
  for (let folder = own; ; folder = path.posix.dirname(folder)) {
    folders.push(path.posix.join(CGROUPS, folder));
    if (folder === '/') return folders;
  }
}

function positive(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : Number.POSITIVE_INFINITY;
}

function coreLimit(read: ReadText): number {
  const limits = controlGroups(read).map((folder) => {
    const [quota, period] = (read(path.posix.join(folder, 'cpu.max')) ?? '').trim().split(/\s+/);
    return positive(Number(quota) / Number(period)); // "max 100000" where there is no limit
  });
  const quota = Number(read(`${CGROUPS}/cpu/cpu.cfs_quota_us`));
  const period = Number(read(`${CGROUPS}/cpu/cpu.cfs_period_us`));
  return Math.min(positive(quota / period), ...limits);
}

function memoryLimit(read: ReadText): number {
  const limits = controlGroups(read).map((folder) => positive(Number(read(path.posix.join(folder, 'memory.max')))));
  return Math.min(positive(Number(read(`${CGROUPS}/memory/memory.limit_in_bytes`))), ...limits);
}

/** Cores and memory that this process may use, from the control group (versions 1 and 2) where there is one. */
export function readCapacity(read: ReadText = readText): Capacity {
  return {
    cores: Math.min(os.availableParallelism(), coreLimit(read)),
    memoryBytes: Math.min(os.totalmem(), memoryLimit(read)),
  };
}

/** How many kernel processes may wait here for the next jobs. */
export function warmKernelCount({ memoryBytes }: Capacity): number {
  return Math.min(WARM_POOL.maxCount, Math.floor(memoryBytes / WARM_POOL.machineBytesPerKernel));
}

/**
 * As many workers as cores less one and as jobs' memory fits beside the spare kernel processes, at least one; a job gets 60 % of the memory, at most 4 GiB. Either can
 * be asked for.
 */
export function planConcurrency(capacity: Capacity, requested: Partial<ConcurrencyPlan> = {}): ConcurrencyPlan {
  const jobMemoryBytes =
    requested.jobMemoryBytes ?? Math.min(JOB_MEMORY.maxBytes, Math.floor(capacity.memoryBytes * JOB_MEMORY.fraction));
  const forJobs = capacity.memoryBytes - warmKernelCount(capacity) * WARM_POOL.bytesPerKernel;
  const fitting = Math.min(Math.floor(capacity.cores) - 1, Math.floor(forJobs / jobMemoryBytes));
  return { jobMemoryBytes, workers: requested.workers ?? Math.max(1, fitting) };
}
