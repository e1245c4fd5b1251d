import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { JOB_MEMORY, MAX_JOB_THREADS, WARM_POOL } from '../defaults.js';

/** The cores and the memory of the container or, without one, of the machine. */
export interface Capacity {
  cores: number;
  memoryBytes: number;
}

/** The number of concurrent operations and the memory limit of one job. */
export interface ConcurrencyPlan {
  workers: number;
  jobMemoryBytes: number;
}

/** Returns the content of a small file, or `undefined` if it cannot be read. */
export type ReadText = (file: string) => string | undefined;

const CGROUPS = '/sys/fs/cgroup';

const readText: ReadText = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // this system has no such limit
  }
};

/** Returns the folders of our control group and its ancestors, each of which can set a limit (cgroup version 2). */
function findControlGroups(read: ReadText): string[] {
  const group = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1] ?? '/';
  const folders: string[] = [];
  for (let folder = group; ; folder = path.posix.dirname(folder)) {
    folders.push(path.posix.join(CGROUPS, folder));
    if (folder === '/') return folders;
  }
}

function positiveOrInfinity(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : Number.POSITIVE_INFINITY;
}

function readCoreLimit(read: ReadText): number {
  const limits = findControlGroups(read).map((folder) => {
    const [quota, period] = (read(path.posix.join(folder, 'cpu.max')) ?? '').trim().split(/\s+/);
    return positiveOrInfinity(Number(quota) / Number(period)); // "max 100000" means no limit
  });
  const quota = Number(read(`${CGROUPS}/cpu/cpu.cfs_quota_us`));
  const period = Number(read(`${CGROUPS}/cpu/cpu.cfs_period_us`));
  return Math.min(positiveOrInfinity(quota / period), ...limits);
}

function readMemoryLimit(read: ReadText): number {
  const limits = findControlGroups(read).map((folder) =>
    positiveOrInfinity(Number(read(path.posix.join(folder, 'memory.max')))),
  );
  return Math.min(positiveOrInfinity(Number(read(`${CGROUPS}/memory/memory.limit_in_bytes`))), ...limits);
}

/** Returns the cores and the memory that this process can use, as limited by its control group (versions 1 and 2). */
export function readCapacity(read: ReadText = readText): Capacity {
  return {
    cores: Math.min(os.availableParallelism(), readCoreLimit(read)),
    memoryBytes: Math.min(os.totalmem(), readMemoryLimit(read)),
  };
}

/** Returns the maximum number of threads of a job that runs alone: one per core, at most two. */
export function countJobThreads({ cores }: Capacity): number {
  return Math.min(MAX_JOB_THREADS, Math.max(1, Math.floor(cores)));
}

/** Returns the default size of the warm pool. */
export function warmKernelCount({ memoryBytes }: Capacity): number {
  return Math.min(WARM_POOL.maxCount, Math.floor(memoryBytes / WARM_POOL.machineBytesPerKernel));
}

/**
 * Computes the number of workers and the memory limit of one job. A job gets 60 % of the memory, at most 4 GiB. Workers
 * are limited by the cores minus one and by the memory beside the warm pool; there is at least one. Values in
 * `requested` take precedence.
 */
export function planConcurrency(capacity: Capacity, requested: Partial<ConcurrencyPlan> = {}): ConcurrencyPlan {
  const jobMemoryBytes =
    requested.jobMemoryBytes ?? Math.min(JOB_MEMORY.maxBytes, Math.floor(capacity.memoryBytes * JOB_MEMORY.fraction));
  const maxWorkers = Math.min(Math.floor(capacity.cores) - 1, countFittingJobs(capacity, jobMemoryBytes));
  return { jobMemoryBytes, workers: requested.workers ?? Math.max(1, maxWorkers) };
}

/**
 * Returns how many jobs may hold memory beside those that run, because they are suspended: at most one per worker, and as many
 * as fit in the memory. On Windows, where no process can be suspended, one more job runs instead.
 */
export function countSuspendableJobs(
  capacity: Capacity,
  { workers, jobMemoryBytes }: ConcurrencyPlan,
  platform: NodeJS.Platform = process.platform,
): number {
  const fittingCount = Math.max(0, countFittingJobs(capacity, jobMemoryBytes) - workers);
  return Math.min(fittingCount, platform === 'win32' ? 1 : workers);
}

/** Counts the jobs that fit in the memory beside the warm pool. */
function countFittingJobs(capacity: Capacity, jobMemoryBytes: number): number {
  const availableBytes = capacity.memoryBytes - warmKernelCount(capacity) * WARM_POOL.bytesPerKernel;
  return Math.floor(availableBytes / jobMemoryBytes);
}
