// Repairs every model of a folder, with this package and, if installed, with `admesh` and `prusa-slicer --repair`;
// checks the results with CGAL; and measures how fast models are read, repaired and written. `npm run bench -- kernel
// DIR` prints the figures and writes bench/results/kernel.json. `--speed` skips the models and needs no DIR. `--large`
// adds a model of ten million triangles. `--threads` measures only two threads against one. Volumes are compared with `truth.json` in the folder or above it. Needs g++
// and Debian's libcgal-dev; for the rows of other tools admesh, prusa-slicer, assimp-utils, lib3mf-dev.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildJudge } from './judge/judge.js';
import { compare } from './kernel/compare.js';
import { describeMachine } from './kernel/figures.js';
import { measureLarge } from './kernel/large.js';
import { measureSpeed } from './kernel/speed.js';
import { measureThreads } from './kernel/threads.js';

const RESULT = fileURLToPath(new URL('results/kernel.json', import.meta.url));

const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
const [folder] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
async function run(): Promise<void> {
  if (folder === undefined && flags.length === 0)
    throw new Error('usage: npm run bench -- kernel DIR [--speed] [--large] [--threads]');
  const threads = await measureThreads();
  console.table(threads);
  if (flags.includes('--threads')) return save({ threads: { ...threads, machine: describeMachine() } });
  const judge = buildJudge(path.join(os.tmpdir(), 'model-processing-judge'));
  const result: Record<string, unknown> = { threads: { ...threads, machine: describeMachine() } };
  if (folder !== undefined && !flags.includes('--speed')) {
    const columns = await compare(folder, judge);
    console.table(columns);
    result.models = { folder: path.basename(path.resolve(folder)), columns, machine: describeMachine() };
  }
  const rows = await measureSpeed(judge);
  console.table(rows);
  result.speed = {
    what: 'medians of 5 in ms, a million triangles; ratio: ours to theirs',
    rows,
    machine: describeMachine(),
  };
  if (flags.includes('--large')) {
    const large = await measureLarge();
    console.table(large);
    result.large = { ...large, machine: describeMachine() };
  }
  save(result);
}

/** Saves figures. Those that were not measured now are preserved. */
function save(measured: Record<string, unknown>): void {
  const earlier: object = existsSync(RESULT) ? JSON.parse(readFileSync(RESULT, 'utf8')) : {};
  writeFileSync(RESULT, `${JSON.stringify({ ...earlier, ...measured }, null, 2)}\n`);
}

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
