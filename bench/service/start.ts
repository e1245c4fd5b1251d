import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, residentMib, roundTo } from './service-process.js';

const ROUNDS = 5;
const SETTLED_MS = 1000;

async function startOnce(data: string): Promise<{ ms: number; mib: number }> {
  const start = performance.now();
  const args = [path.resolve('dist/src/cli.js'), 'serve', '--port', '0', '--data', data, '--log-level', 'warn'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [baseUrl] = await once(createInterface(child.stdout), 'line');
  const { status } = await fetch(`${baseUrl}/readyz`);
  const ms = performance.now() - start;
  if (status !== 200) throw new Error(`/readyz replied ${status}.`);
  await sleep(SETTLED_MS);
  const mib = residentMib(child.pid ?? 0);
  child.kill();
  await ended;
  return { ms, mib };
}

/** Measures the time from the start in an empty folder until /readyz succeeds, and the idle memory. */
export async function measureStart(folder: string) {
  const starts = [];
  for (let round = 0; round < ROUNDS; round++) starts.push(await startOnce(path.join(folder, `start-${round}`)));
  return {
    startMs: { median: roundTo(median(starts.map(({ ms }) => ms)), 0), reach: 1500 },
    idleMib: { most: roundTo(Math.max(...starts.map(({ mib }) => mib)), 1), reach: 130 },
  };
}
