// Reads 100,000 damaged files by our own readers, in processes whose memory the system caps: `npm run fuzz:own`, or
// `npx tsx test/fuzz/own-readers.ts --inputs 1000 --seed 7`. Exit status 1 where one crashed, hung, or broke a promise; the number and the seed that
// are printed make the same input again. Needs Linux (ulimit).
import { spawn } from 'node:child_process';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { OWN_FILES } from './own-files.js';

const MEMORY_KIB = 1024 * 1024;
/** No input is larger than a few kilobytes: what takes this long never ends. */
const MAX_INPUT_MS = 20_000;
const SLICE = 2500;

interface Slice {
  kind: string;
  first: number;
  end: number;
}

const { values } = parseArgs({ options: { inputs: { type: 'string' }, seed: { type: 'string' } } });
const inputs = Number(values.inputs ?? 100_000);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));

/** The inputs of each kind, cut into pieces that are a process's work. */
const slices = (): Slice[] => {
  const kinds = Object.keys(OWN_FILES);
  const each = Math.ceil(inputs / kinds.length);
  const firsts = Array.from({ length: Math.ceil(each / SLICE) }, (_, i) => i * SLICE);
  return kinds.flatMap((kind) => firsts.map((first) => ({ kind, first, end: Math.min(each, first + SLICE) })));
};

/** Runs a slice in a process of its own. Answers how many were read; rejects with what went wrong, and on which input. */
const runSlice = ({ kind, first, end }: Slice): Promise<number> =>
  new Promise((resolve, reject) => {
    const args = ['--import', 'tsx', 'test/fuzz/own-readers-child.ts', kind, String(first), String(end), String(seed)];
    const script = `ulimit -d ${MEMORY_KIB} && exec "$0" "$@"`;
    const child = spawn('/bin/sh', ['-c', script, process.execPath, ...args]);
    let [last, errors, isHung] = ['', '', false];
    const hang = (): void => {
      isHung = true;
      child.kill('SIGKILL');
    };
    let timer = setTimeout(hang, MAX_INPUT_MS);
    child.stdout.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      timer = setTimeout(hang, MAX_INPUT_MS);
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
        const how = isHung ? `took longer than ${MAX_INPUT_MS} ms` : `ended with ${signal ?? `status ${status}`}`;
        reject(new Error(`${kind}, input ${last} of seed ${seed}: ${how}\n${errors}`));
      }
    });
  });

const started = performance.now();
const waiting = slices();
const totals = new Map<string, { inputs: number; read: number }>();
const failures: string[] = [];
const work = async (): Promise<void> => {
  for (let slice = waiting.shift(); slice; slice = waiting.shift()) {
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
};
await Promise.all(Array.from({ length: os.availableParallelism() }, work));
console.table(Object.fromEntries(totals));
const all = [...totals.values()].reduce((sum, total) => sum + total.inputs, 0);
console.log(
  `${all} inputs, seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s; ${failures.length} failures`,
);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
