import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findDescendants } from '../../test/helpers/processes.js';
import { roundTo } from '../service/service-process.js';
import { readCpuSeconds, sumCpuSeconds, sumDescendants } from './cpu-seconds.js';
import type { BenchProcess, Environment } from './environment.js';

/** A kind of process → its CPU time. `client`: this process, which starts the jobs and waits for them. */
export type CpuTimes = Record<string, number>;

/** Returns the process id of the server of the environment: its other processes are children of that one. */
export function findPostgres({ machines }: Environment): number {
  return Number(readFileSync(path.join(machines.server.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
}

function sumOwn(processes: readonly BenchProcess[]): number {
  return processes.reduce((sum, { pid }) => sum + readCpuSeconds(pid).own, 0);
}

function sumKernels(processes: readonly BenchProcess[]): number {
  return processes.reduce((sum, { pid }) => sum + sumDescendants(pid), 0);
}

function readClient(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Returns a function that reads the CPU time of a service on many machines, in seconds. */
export function readSharedCpu(environment: Environment, api: BenchProcess, workers: readonly BenchProcess[]) {
  const postgres = findPostgres(environment);
  const storage = findDescendants(process.pid)
    .filter(({ command }) => /\/swift-|memcached/.test(command))
    .map(({ pid }) => pid);
  return (): CpuTimes => ({
    api: sumOwn([api]),
    workers: sumOwn(workers),
    kernels: sumKernels(workers),
    database: sumCpuSeconds([postgres]),
    storage: sumCpuSeconds(storage),
    client: readClient(),
  });
}

/** Returns a function that reads the CPU time of a service on one machine, in seconds. */
export function readEmbeddedCpu(service: BenchProcess) {
  return (): CpuTimes => ({ service: sumOwn([service]), kernels: sumKernels([service]), client: readClient() });
}

/** Returns the CPU time per job between two readings, in ms. */
export function toCpuMs(before: CpuTimes, after: CpuTimes, jobs: number): CpuTimes {
  return Object.fromEntries(
    Object.entries(after).map(([kind, seconds]) => [kind, roundTo(((seconds - (before[kind] ?? 0)) * 1000) / jobs, 1)]),
  );
}
