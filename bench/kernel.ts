// Repairs every model of a folder, ours beside `admesh` and `prusa-slicer --repair` where they are installed, has an independent judge look at
// the results, and measures how fast models are read, repaired and written.
// `npm run bench:kernel -- DIR` prints all of it and writes bench/results/kernel.json; `--speed` leaves the models out, and needs no DIR;
// `--large` adds a model of ten million triangles. Volumes are held against `truth.json` in the folder or above it.
// Needs g++ and Debian's libcgal-dev for the judge; for the rows of others admesh, prusa-slicer, assimp-utils, lib3mf-dev.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildJudge } from './judge/judge.js';
import { compare } from './kernel/compare.js';
import { describeMachine } from './kernel/figures.js';
import { measureLarge } from './kernel/large.js';
import { measureSpeed } from './kernel/speed.js';

const RESULT = fileURLToPath(new URL('results/kernel.json', import.meta.url));

const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
const [folder] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const run = async (): Promise<void> => {
  if (folder === undefined && flags.length === 0)
    throw new Error('usage: npm run bench:kernel -- DIR [--speed] [--large]');
  const judge = buildJudge(path.join(os.tmpdir(), 'model-processing-judge'));
  // What is not measured now stays as it was.
  const result: Record<string, unknown> = existsSync(RESULT) ? JSON.parse(readFileSync(RESULT, 'utf8')) : {};
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
  writeFileSync(RESULT, `${JSON.stringify(result, null, 2)}\n`);
};

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
