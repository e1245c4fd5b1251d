import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
  idleMib: number;
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
  if (status !== 200) throw new Error(`/readyz replied ${status}.`);
  await sleep(SETTLED_MS);
  const idleMib = residentMib(child.pid ?? 0);
  child.kill();
  await ended;
  return { startMs, idleMib };
}

/** Measures the start and the idle memory of services, one after the other in each round. */
export async function measureStarts(variants: readonly Variant[], folder: string, rounds: number) {
  const starts = variants.map((): Start[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, variant] of variants.entries()) {
      const start = await startOnce(variant, path.join(folder, `start-${index}-${round}`));
      if (round > 0) starts[index]?.push(start); // the first one reads the files from the disk
    }
  }
  const figures = variants.map(({ name }, index) => [
    name,
    {
      startMs: roundTo(median((starts[index] ?? []).map(({ startMs }) => startMs)), 1),
      idleMib: roundTo(median((starts[index] ?? []).map(({ idleMib }) => idleMib)), 1),
    },
  ]);
  return Object.fromEntries(figures) as Record<string, Start>;
}
