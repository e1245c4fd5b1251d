// Records digests of what the kernel writes and reports, or compares them with a record: a change that is to change no output can be proved so.
// `npm run bench -- outputs DIR --record FILE` runs every operation on every model below DIR and on each ninth cell of the damage table, and
// writes a line for each. `--compare FILE` does the same and prints where the record differs. Texts and step names are left out of reports.
import { fork } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importFormatOf } from '../src/mesh/formats/registry.js';
import { listDamageCases } from '../test/mesh/models/damage-cases.js';
import { type Digests, MAX_TRIANGLES } from './outputs/digest-outputs.js';
import type { OutputCase } from './outputs/run-case.js';

/** A model that takes longer is skipped, and the record says so. */
const DEADLINE_MS = 60_000;
const SKIPPED: Digests = { skipped: `deadline of ${DEADLINE_MS / 1000} s` };
const DAMAGE_STRIDE = 9;

const RUN_CASE = fileURLToPath(new URL('outputs/run-case.ts', import.meta.url));

const ABOUT = `SHA-256, first 16 digits. Reports without texts and step names. Above ${MAX_TRIANGLES} triangles: repair, exports and thumbnail only.`;

function listCases(folder: string): OutputCase[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => importFormatOf(name) !== undefined)
    .sort();
  return [
    ...files.map((name) => ({ name: name.split(path.sep).join('/'), file: path.join(folder, name) })),
    ...listDamageCases(DAMAGE_STRIDE).map(({ name }) => ({ name, stride: DAMAGE_STRIDE })),
  ];
}

/** Runs a case in a process of its own. Rejects if the kernel throws anything but a `MeshError`. */
function runCase(request: OutputCase): Promise<Digests> {
  const child = fork(RUN_CASE, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise<Digests>((resolve, reject) => {
    const timer = setTimeout(() => resolve(SKIPPED), DEADLINE_MS);
    child.once('exit', (code) => reject(new Error(`${request.name}: the process exited with ${code}.`)));
    child.once('message', (digests: Digests) => {
      clearTimeout(timer);
      resolve(digests);
    });
    child.send(request);
  }).finally(() => child.kill('SIGKILL'));
}

/** Prints where digests differ from those recorded. Returns how many cases do. */
function countDifferences(recorded: Record<string, Digests>, current: Record<string, Digests>): number {
  const names = new Set([...Object.keys(recorded), ...Object.keys(current)]);
  const different = [...names].filter((name) => {
    const [before = {}, after = {}] = [recorded[name], current[name]];
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    const changed = [...keys].filter((key) => before[key] !== after[key]);
    if (changed.length > 0) console.log(`${name}: ${changed.join(', ')}`);
    return changed.length > 0;
  });
  console.log(`${names.size} cases, ${different.length} different`);
  return different.length;
}

function formatRecord(cases: Record<string, Digests>): string {
  const lines = Object.entries(cases).map(([name, digests]) => `${JSON.stringify(name)}: ${JSON.stringify(digests)}`);
  return `{\n"about": ${JSON.stringify(ABOUT)},\n"cases": {\n${lines.join(',\n')}\n}\n}\n`;
}

const { values, positionals } = parseArgs({
  options: { record: { type: 'string' }, compare: { type: 'string' } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined || (values.record === undefined) === (values.compare === undefined)) {
  throw new Error('Usage: npm run bench -- outputs DIR --record FILE | --compare FILE');
}
const recorded: Record<string, Digests> =
  values.compare === undefined ? {} : JSON.parse(readFileSync(values.compare, 'utf8')).cases;
const current: Record<string, Digests> = {};
for (const request of listCases(folder)) {
  const start = performance.now();
  const isSkipped = recorded[request.name]?.skipped !== undefined;
  current[request.name] = isSkipped ? SKIPPED : await runCase(request);
  console.log(`${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s  ${request.name}`);
}
if (values.record !== undefined) writeFileSync(values.record, formatRecord(current));
else if (countDifferences(recorded, current) > 0) process.exitCode = 1;
