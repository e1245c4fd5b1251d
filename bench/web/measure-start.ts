import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, residentMib, roundTo } from '../service/service-process.js';

const SETTLED_MS = 2000;

/** A command line of a service, and what it is measured for. */
export interface Variant {
  name: string;
  cli: string;
  args: readonly string[];
}

interface Start {
  startMs: number;
  /** The time of the processor until then, of all threads. Other programs lengthen it less. */
  startCpuMs: number;
  idleMib: number;
}

/** Returns the time that the threads of a process were running, in ms. */
function readCpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

/** Starts a service in an empty folder. Resolves with the time until it is ready, and its memory when it is idle. */
async function startOnce({ cli, args }: Variant, data: string): Promise<Start> {
  const start = performance.now();
  const all = [cli, 'serve', '--port', '0', '--data', data, '--log-level', 'warn', ...args];
  const child = spawn(process.execPath, all, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [baseUrl] = await once(createInterface(child.stdout), 'line');
  const { status } = await fetch(`${baseUrl}/readyz`);
  const startMs = performance.now() - start;
  const startCpuMs = readCpuMs(child.pid ?? 0);
  if (status !== 200) throw new Error(`/readyz replied ${status}.`);
  await sleep(SETTLED_MS);
  const idleMib = residentMib(child.pid ?? 0);
  child.kill();
  await ended;
  return { startMs, startCpuMs, idleMib };
}

/** Measures the start and the idle memory of services, one after the other in each round. Returns medians. */
export async function measureStarts(
  variants: readonly Variant[],
  folder: string,
  rounds: number,
): Promise<Record<string, Start>> {
  const starts = variants.map((): Start[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, variant] of variants.entries()) {
      const start = await startOnce(variant, path.join(folder, `start-${index}-${round}`));
      if (round > 0) starts[index]?.push(start); // the first one reads the files from the disk
    }
  }
  const figures = variants.map(({ name }, index) => {
    const medianOf = (field: keyof Start): number =>
      roundTo(median((starts[index] ?? []).map((start) => start[field])), 1);
    return [
      name,
      { startMs: medianOf('startMs'), startCpuMs: medianOf('startCpuMs'), idleMib: medianOf('idleMib') },
    ] as const;
  });
  return Object.fromEntries(figures);
}
