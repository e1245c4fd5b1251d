import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Calls, logIn } from '../../test/service/support/account.js';

/** A service in a separate process with its own data folder. */
export interface ServiceProcess {
  pid: number;
  baseUrl: string;
  data: string;
  api: Calls;
  close(): Promise<void>;
}

/**
 * Starts the built service of a checkout (default: this one) without result cache. Resolves when it has printed its URL.
 */
export async function startService(
  data: string,
  args: readonly string[] = [],
  checkout = '.',
): Promise<ServiceProcess> {
  const all = [
    path.resolve(checkout, 'dist/src/cli.js'),
    'serve',
    '--port',
    '0',
    '--data',
    data,
    '--log-level',
    'warn',
    '--cache',
    'off',
    ...args,
  ];
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [baseUrl] = await once(createInterface(child.stdout), 'line');
  const close = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  return { pid: child.pid ?? 0, baseUrl, data, api: await logIn(data), close };
}

function readStatusField(pid: number, field: string): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Returns the resident memory of a process, in MiB. */
export function residentMib(pid: number): number {
  return readStatusField(pid, 'VmRSS');
}

/** Returns the peak resident memory since the last reset, in MiB. */
export function peakMib(pid: number): number {
  return readStatusField(pid, 'VmHWM');
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

export function roundTo(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

/** Runs `work`. Returns its duration in seconds. */
export async function measureSeconds(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
