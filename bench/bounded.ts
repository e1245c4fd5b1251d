// Measures the longest repair plus export to every format, of models below 20,000 triangles: the files of a folder, dense models and solids
// with two or three kinds of damage. `npm run bench -- bounded DIR [--damaged N] [--workers N] [--record FILE] [--only TEXT]`. Each case runs
// in a process with a deadline. Prints the longest cases and the parts that took most of the time, and writes bench/results/bounded.json.
import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importFormatOf } from '../src/mesh/formats/registry.js';
import { DENSE_MODELS } from '../test/mesh/models/dense.js';
import type { BoundedCase, BoundedFigures } from './bounded/run-case.js';
import { describeMachine } from './kernel/figures.js';

const MAX_TRIANGLES = 20_000;
/** Wall-clock time: long enough on a busy machine, since the processor time is what counts. */
const DEADLINE_MS = 600_000;
const LONGEST_COUNT = 20;
const RUN_CASE = fileURLToPath(new URL('bounded/run-case.ts', import.meta.url));
const RESULT = fileURLToPath(new URL('results/bounded.json', import.meta.url));

type Outcome = BoundedFigures | { error: string };

interface Row {
  name: string;
  s: number;
  outcome: Outcome;
}

function listCases(folder: string, damagedCount: number): BoundedCase[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => importFormatOf(name) !== undefined)
    .sort();
  return [
    ...files.map((name) => ({ name: name.split(path.sep).join('/'), file: path.join(folder, name) })),
    ...Object.keys(DENSE_MODELS).map((dense) => ({ name: dense, dense })),
    ...Array.from({ length: damagedCount }, (_, i) => ({ name: `damaged ${i + 1}`, seed: i + 1 })),
  ];
}

/** Runs cases one after the other in a process, which a deadline ends. */
function createWorker(): { run: (request: BoundedCase) => Promise<Outcome>; close: () => void } {
  let child: ChildProcess | undefined;
  const close = () => {
    child?.kill('SIGKILL');
    child = undefined;
  };
  const run = (request: BoundedCase) =>
    new Promise<Outcome>((resolve) => {
      child ??= fork(RUN_CASE, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      const current = child;
      const finish = (outcome: Outcome) => {
        clearTimeout(timer);
        current.removeAllListeners();
        resolve(outcome);
      };
      const end = (error: string) => {
        close();
        finish({ error });
      };
      const timer = setTimeout(() => end(`deadline of ${DEADLINE_MS / 1000} s`), DEADLINE_MS);
      current.once('exit', (code) => end(`the process exited with ${code}`));
      current.once('message', (outcome: Outcome) => finish(outcome));
      current.send(request);
    });
  return { run, close };
}

async function runAll(cases: readonly BoundedCase[], workerCount: number): Promise<Row[]> {
  const rows: Row[] = [];
  const pending = cases.values();
  await Promise.all(
    Array.from({ length: workerCount }, async () => {
      const worker = createWorker();
      for (const request of pending) {
        const start = performance.now();
        const outcome = await worker.run(request);
        const total = 'parts' in outcome ? Object.values(outcome.parts).reduce((sum, ms) => sum + ms, 0) : undefined;
        const row = { name: request.name, s: (total ?? performance.now() - start) / 1000, outcome };
        if ('triangles' in outcome && outcome.triangles >= MAX_TRIANGLES) continue;
        rows.push(row);
        console.log(describe(row));
      }
      worker.close();
    }),
  );
  return rows.sort((a, b) => b.s - a.s);
}

function describe({ name, s, outcome }: Row): string {
  const prefix = `${s.toFixed(1).padStart(6)} s  ${name}`;
  if ('error' in outcome) return `${prefix}: ${outcome.error}`;
  const parts = Object.entries(outcome.parts).sort((a, b) => b[1] - a[1]);
  const longest = parts.slice(0, 3).map(([part, ms]) => `${part} ${(ms / 1000).toFixed(1)}`);
  const stl = `${outcome.stlLevel} ${outcome.stlIntersecting}`;
  return `${prefix} (${outcome.triangles}): ${outcome.level} ${outcome.intersecting}, STL ${stl}; ${longest.join(', ')}; ${outcome.warnings}`;
}

const { values, positionals } = parseArgs({
  options: {
    damaged: { type: 'string', default: '0' },
    workers: { type: 'string', default: '1' },
    record: { type: 'string', default: RESULT },
    only: { type: 'string' },
  },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined)
  throw new Error('Usage: npm run bench -- bounded DIR [--damaged N] [--workers N] [--record FILE]');
const selected = listCases(folder, Number(values.damaged)).filter(({ name }) => name.includes(values.only ?? ''));
const rows = await runAll(selected, Number(values.workers));
console.log(`\n${rows.length} models. The longest:`);
for (const row of rows.slice(0, LONGEST_COUNT)) console.log(describe(row));
const seconds = rows.map(({ s }) => s);
const summary = {
  what: 'seconds for repair plus export to every format in turn, models below 20,000 triangles',
  models: rows.length,
  longestS: seconds[0],
  above10S: seconds.filter((s) => s > 10).length,
  above1S: seconds.filter((s) => s > 1).length,
  machine: describeMachine(),
  longest: rows.slice(0, LONGEST_COUNT).map(({ name, s, outcome }) => ({ name, s, ...outcome })),
};
const all = Object.fromEntries(rows.map(({ name, outcome }) => [name, outcome]));
writeFileSync(values.record, `${JSON.stringify(values.record === RESULT ? summary : { ...summary, all }, null, 2)}\n`);
