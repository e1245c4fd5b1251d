import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Calls, logIn } from '../../test/service/support/account.js';

const CLI = path.resolve('dist/src/cli.js');

/** A service in a process of its own, on a folder of its own. */
export interface ServiceProcess {
  pid: number;
  baseUrl: string;
  data: string;
  api: Calls;
  close(): Promise<void>;
}

/** Starts the built service, which runs every operation that it is asked for; resolves when it said its address. */
export const startService = async (data: string, args: readonly string[] = []): Promise<ServiceProcess> => {
  const all = [CLI, 'serve', '--port', '0', '--data', data, '--log-level', 'warn', '--cache', 'off', ...args];
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [baseUrl] = await once(createInterface(child.stdout), 'line');
  const close = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  return { pid: child.pid ?? 0, baseUrl, data, api: await logIn(data), close };
};

const fieldOf = (pid: number, field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Resident memory of a process, in MiB. */
export const residentMib = (pid: number): number => fieldOf(pid, 'VmRSS');

/** The most that it ever was since the last reset. */
export const peakMib = (pid: number): number => fieldOf(pid, 'VmHWM');

export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** Runs `work` and answers how long it took, in seconds. */
export const timed = async (work: () => unknown): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};
