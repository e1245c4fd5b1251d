// Reads 100,000 damaged files with the built-in readers, in processes whose memory the system caps: `npm run soak -- built-in-readers`,
// or `npx tsx test/fuzz/built-in-readers.ts --inputs 1000 --seed 7`. Exits with 1 if a reader crashed, hung or returned
// an invalid mesh. The printed number and seed reproduce the input. Needs Linux (ulimit).
import { spawn } from 'node:child_process';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { BUILT_IN_FILES } from './built-in-files.js';

const MEMORY_KIB = 1024 * 1024;
/** Inputs have a few kilobytes, so a longer run never ends. */
const MAX_INPUT_MS = 20_000;
const SLICE_SIZE = 2500;

interface Slice {
  kind: string;
  first: number;
  end: number;
}

const { values } = parseArgs({ options: { inputs: { type: 'string' }, seed: { type: 'string' } } });
const inputs = Number(values.inputs ?? 100_000);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));

/** Returns the inputs of each file, divided into slices of one process each. */
function createSlices(): Slice[] {
  const kinds = Object.keys(BUILT_IN_FILES);
  const each = Math.ceil(inputs / kinds.length);
  const firsts = Array.from({ length: Math.ceil(each / SLICE_SIZE) }, (_, i) => i * SLICE_SIZE);
  return kinds.flatMap((kind) => firsts.map((first) => ({ kind, first, end: Math.min(each, first + SLICE_SIZE) })));
}

/**
 * Runs a slice in a child process. Resolves with the number of inputs that were read; rejects with the failure and its
 * input.
 */
function runSlice({ kind, first, end }: Slice): Promise<number> {
  return new Promise((resolve, reject) => {
    const args = [
      '--import',
      'tsx',
      'test/fuzz/built-in-readers-child.ts',
      kind,
      String(first),
      String(end),
      String(seed),
    ];
    const script = `ulimit -d ${MEMORY_KIB} && exec "$0" "$@"`;
    const child = spawn('/bin/sh', ['-c', script, process.execPath, ...args]);
    let [last, errors, isHung] = ['', '', false];
    const killHung = (): void => {
      isHung = true;
      child.kill('SIGKILL');
    };
    let timer = setTimeout(killHung, MAX_INPUT_MS);
    child.stdout.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      timer = setTimeout(killHung, MAX_INPUT_MS);
      last = chunk.toString().trimEnd().split('\n').at(-1) ?? last;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-4000);
    });
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      const [word, count] = last.split(' ');
      if (status === 0 && word === 'read') resolve(Number(count));
      else {
        const reason = isHung ? `took longer than ${MAX_INPUT_MS} ms` : `ended with ${signal ?? `status ${status}`}`;
        reject(new Error(`${kind}, input ${last} of seed ${seed}: ${reason}\n${errors}`));
      }
    });
  });
}

const started = performance.now();
const pending = createSlices();
const totals = new Map<string, { inputs: number; read: number }>();
const failures: string[] = [];
async function runPending(): Promise<void> {
  for (let slice = pending.shift(); slice; slice = pending.shift()) {
    const { kind, first, end } = slice;
    const total = totals.get(kind) ?? { inputs: 0, read: 0 };
    totals.set(kind, total);
    try {
      total.read += await runSlice(slice);
      total.inputs += end - first;
    } catch (error) {
      failures.push(String(error));
    }
  }
}
await Promise.all(Array.from({ length: os.availableParallelism() }, runPending));
console.table(Object.fromEntries(totals));
const totalInputs = [...totals.values()].reduce((sum, total) => sum + total.inputs, 0);
console.log(
  `${totalInputs} inputs, seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s; ${failures.length} failures`,
);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
