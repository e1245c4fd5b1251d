// The parts of the gate: `npm cit`, then all suites that `suites.mjs` gives a time, two at a time, those that take longest
// first. Prints the output of each part when it ends, as a whole, then the time of each part and the critical path. Exits
// with 1 if a part failed; the others run nevertheless, so that one run shows everything that fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SAMPLED_SOAK, SUITES } from './suites.mjs';

/** How many suites run at the same time. More than two would not be faster on two cores. */
const SLOTS = 2;

const startedAt = performance.now();
const running = new Set();
/** @type {{ name: string; slot: string; startS: number; endS: number; status: number | null }[]} */
const ended = [];
const counts = { passed: 0, failed: 0 };

function elapsedS() {
  return (performance.now() - startedAt) / 1000;
}

/** Adds the tests that mocha counts in an output. */
function countTests(output) {
  for (const [, count, state] of output.matchAll(/^\s*(\d+) (passing|failing)\b/gm)) {
    counts[state === 'passing' ? 'passed' : 'failed'] += Number(count);
  }
}

/** Runs a part in a process group of its own. */
async function runPart(slot, name, program, args, env = {}) {
  const startS = elapsedS();
  const options = { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } };
  const child = spawn(program, args, options);
  running.add(child);
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  running.delete(child);
  ended.push({ name, slot, startS, endS: elapsedS(), status });
  countTests(output);
  console.log(`\n=== ${name}\n${output}${errors}`);
}

/** Takes suites from a queue, one after the other. */
async function runSlot(slot, queue) {
  for (let suite = queue.shift(); suite; suite = queue.shift()) {
    // The build of `npm cit` serves all: another one would deprive the suite beside of its files.
    await runPart(slot, suite.name, 'npm', ['run', '--silent', 'suite', '--', suite.name], { KEEP_BUILD: '1' });
  }
}

function printTimes() {
  console.log('\n=== time of each part (start to end)');
  for (const { name, startS, endS } of ended) {
    const [start, end] = [startS, endS].map((seconds) => String(Math.round(seconds)).padStart(5));
    console.log(`${String(Math.round(endS - startS)).padStart(5)} s  ${name} (${start} to ${end})`);
  }
  const last = ended.reduce((a, b) => (b.endS > a.endS ? b : a));
  const path = ended.filter(({ slot }) => slot === last.slot || slot === '');
  console.log(`critical path: ${path.map(({ name }) => name).join(', ')}`);
  console.log(`${String(Math.round(elapsedS())).padStart(5)} s  in all`);
}

function endAll() {
  for (const child of running) process.kill(-child.pid);
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    endAll();
    process.exit(143);
  });
}

await runPart('', 'npm cit: build, types, lint, tests of Node', 'npm', ['cit']);
const queue = [...SUITES, ...SAMPLED_SOAK].filter(({ gateS }) => gateS !== undefined);
queue.sort((a, b) => b.gateS - a.gateS);
await Promise.all(Array.from({ length: SLOTS }, (_, index) => runSlot(String(index), queue)));
printTimes();
const failed = ended.filter(({ status }) => status !== 0);
for (const { name, status } of failed) console.log(`failed: ${name} (status ${status})`);
console.log(`${counts.passed} passed, ${Math.max(failed.length, counts.failed)} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
