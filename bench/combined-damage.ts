// Repairs solids with combined damage and compares the results with the solids: `npx tsx bench/combined-damage.ts`
// `--pairs` (1,014 cases), `--near` (182), `--triples 1000 --seed 1`, `--workers 2`, `--each 10` (every tenth case),
// `--match TEXT` (cases with this text in their name), `--record` (writes bench/results/combined-damage.json).
// Prints the wrong results, then the right ones per combination.
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type CaseSet, listSet } from './combined-damage/case-sets.js';
import type { CaseOutcome, CaseRequest } from './combined-damage/run-case.js';
import { describeMachine, median, roundTo } from './kernel/figures.js';

/** A case that takes longer counts as wrong. */
const DEADLINE_MS = 300_000;
const RUN_CASE = fileURLToPath(new URL('combined-damage/run-case.ts', import.meta.url));
const RECORD = new URL('results/combined-damage.json', import.meta.url);

interface Trial extends CaseOutcome {
  kind: string;
  name: string;
}

/** Runs cases one after the other in a process that is replaced after a deadline or a crash. */
class Worker {
  #child: ChildProcess | undefined;

  run(request: CaseRequest): Promise<CaseOutcome> {
    this.#child ??= fork(RUN_CASE, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const child = this.#child;
    return new Promise((resolve) => {
      const finish = (outcome: CaseOutcome) => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(outcome);
      };
      const fail = (wrong: string) => {
        this.close();
        finish({ wrong, triangles: 0, cpuMs: 0 });
      };
      const timer = setTimeout(() => fail('deadline'), DEADLINE_MS);
      child.once('exit', (code) => fail(`crash (${code})`));
      child.once('message', finish);
      child.send(request, (error) => error && fail(error.message));
    });
  }

  close(): void {
    this.#child?.removeAllListeners();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}

async function runSet(caseSet: CaseSet, indices: readonly number[], workers: number): Promise<Trial[]> {
  const cases = listSet(caseSet);
  const trials: Trial[] = [];
  const remaining = [...indices];
  const runAll = async () => {
    const worker = new Worker();
    for (let index = remaining.shift(); index !== undefined; index = remaining.shift()) {
      const outcome = await worker.run({ ...caseSet, index });
      const { kind = '', name = '' } = cases[index] ?? {};
      trials.push({ kind, name, ...outcome });
      if (outcome.wrong !== undefined) console.log(`${outcome.wrong.padEnd(24)} ${name}`);
    }
    worker.close();
  };
  await Promise.all(Array.from({ length: workers }, runAll));
  return trials;
}

function summarize(trials: readonly Trial[]) {
  const times = trials.map(({ cpuMs }) => cpuMs);
  const wrong = trials.filter(({ wrong }) => wrong !== undefined);
  return {
    cases: trials.length,
    right: trials.length - wrong.length,
    rightPercent: roundTo((1 - wrong.length / trials.length) * 100, 1),
    medianMs: roundTo(median(times)),
    longestMs: roundTo(Math.max(...times)),
    wrong: wrong.map(({ name, wrong }) => `${name}: ${wrong}`).sort(),
  };
}

function printKinds(trials: readonly Trial[]): void {
  for (const kind of new Set(trials.map((trial) => trial.kind))) {
    const all = trials.filter((trial) => trial.kind === kind);
    const right = all.filter(({ wrong }) => wrong === undefined).length;
    if (right < all.length) console.log(`${right} of ${all.length}`.padEnd(10), kind);
  }
}

const { values } = parseArgs({
  options: {
    pairs: { type: 'boolean' },
    near: { type: 'boolean' },
    triples: { type: 'string' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    each: { type: 'string', default: '1' },
    match: { type: 'string', default: '' },
    record: { type: 'boolean' },
  },
});
const [count, seed] = [Number(values.triples ?? 0), Number(values.seed)];
const sets = (['pairs', 'near', 'triples'] as const).filter((set) => values[set] !== undefined);
if (sets.length === 0) throw new Error('Usage: npx tsx bench/combined-damage.ts --pairs | --near | --triples COUNT');
const results: Record<string, unknown> = {};
for (const set of sets) {
  const caseSet = { set, count, seed };
  const indices = listSet(caseSet).flatMap(({ name }, index) =>
    index % Number(values.each) === 0 && name.includes(values.match) ? [index] : [],
  );
  const trials = await runSet(caseSet, indices, Number(values.workers));
  if (set !== 'triples') printKinds(trials);
  const { wrong, ...figures } = summarize(trials);
  console.log(set, figures);
  results[set] = { ...figures, ...(set === 'triples' && { seed }), wrong };
}
if (values.record) {
  const recorded = readRecord();
  const record = { ...recorded, ...results, machine: describeMachine() };
  writeFileSync(RECORD, `${JSON.stringify(record, undefined, 2)}\n`);
}

function readRecord(): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(RECORD, 'utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
