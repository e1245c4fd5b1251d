// Soak test: records the file operations of a service under load, and starts a service on folders as power losses could
// have left them: what was not synced is lost, kept, reordered or torn (power/disk.ts describes the model). Everything that
// the service answered before the loss must be there with the right bytes. In a tenth of the states the database is lost
// too, and `recover --apply` must bring everything back but operations. `npm run soak -- power` checks 500 states.
//
// `npx tsx test/soak/power.ts --states 50 --traces 2 --seed 42` sets the number of states, of traces, and the seed.
// `--keep DIR` keeps the traces; `--trace DIR/1 --seed 42 --states 25 --state 7` checks one state of a kept trace again,
// with `--folder DIR` for the folder of the state. Requires Linux, strace and `npm run build`. Exits with 1 if anything
// is lost or damaged.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Check, checkState } from './power/check-state.js';
import { type CrashState, type ReplayedTrace, replayTrace } from './power/crash-states.js';
import { readRecording, record } from './power/record.js';
import { createRandom } from './support/random.js';

const PARALLEL = 2;
const MEMORY_DISK = '/dev/shm';

const { values } = parseArgs({
  options: {
    states: { type: 'string', default: '500' },
    traces: { type: 'string', default: '5' },
    seed: { type: 'string' },
    keep: { type: 'string' },
    trace: { type: 'string' },
    state: { type: 'string' },
    folder: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const parent = mkdtempSync(path.join(process.platform === 'linux' ? MEMORY_DISK : os.tmpdir(), 'soak-power-'));

/** Copies the built program, so that a concurrent build does not affect the test. Returns its path. */
function copyProgram(): string {
  cpSync('dist/src', path.join(parent, 'program'), { recursive: true });
  cpSync('package.json', path.join(parent, 'package.json'));
  symlinkSync(path.resolve('node_modules'), path.join(parent, 'node_modules'));
  return path.join(parent, 'program/cli.js');
}

const program = copyProgram();
const totals = { states: 0, started: 0, recovered: 0, refused: 0, changes: 0, answers: 0, violations: 0 };

function report(
  { outcome, violations }: Check,
  { number, line, loss, isDatabaseLost, answered }: CrashState,
  name: string,
): void {
  totals.states += 1;
  totals[outcome] += 1;
  totals.answers += answered.length;
  totals.violations += violations.length;
  for (const violation of violations) {
    console.error(
      `VIOLATION: ${name}, state ${number} (line ${line + 1}, ${JSON.stringify({ ...loss, isDatabaseLost })}): ${violation}`,
    );
  }
}

/** Checks the states of a trace, `PARALLEL` at a time. */
async function checkStates(trace: ReplayedTrace, name: string, count: number, traceSeed: number): Promise<void> {
  const states = trace.createStates(count, traceSeed);
  const checkRemaining = async (worker: number): Promise<void> => {
    for (const state of states) {
      if (values.state !== undefined && state.number !== Number(values.state)) continue;
      const folder = values.folder ?? path.join(parent, `state-${worker}`);
      const check = await checkState(state, folder, { program, digests: trace.digests });
      report(check, state, name);
      if (values.folder === undefined) rmSync(folder, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, (_, worker) => checkRemaining(worker)));
}

/** Returns the folder of each trace. Records it if it is not a kept one. */
async function* provideTraces(count: number): AsyncGenerator<string> {
  if (values.trace !== undefined) return yield values.trace;
  const random = createRandom(seed);
  for (let number = 1; number <= count; number++) {
    const folder = path.join(path.resolve(values.keep ?? parent), String(number));
    mkdirSync(folder, { recursive: true });
    await record(program, folder, random, { isNew: number % 2 === 0 });
    yield folder;
    if (values.keep === undefined) rmSync(folder, { recursive: true });
  }
}

const traces = values.trace === undefined ? Number(values.traces) : 1;
const statesPerTrace = Math.ceil(Number(values.states) / traces);
console.log(`checking ${statesPerTrace} states of each of ${traces} traces, seed ${seed}`);
const startedAt = performance.now();
try {
  for await (const folder of provideTraces(traces)) {
    const trace = replayTrace(readRecording(folder));
    totals.changes += trace.changes;
    await checkStates(trace, folder, statesPerTrace, seed);
    console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`, totals);
  }
  if (totals.violations > 0) process.exitCode = 1;
} finally {
  rmSync(parent, { recursive: true, force: true });
}
