// Runs damaged files of each format that a library reads through kernel processes, as the service does: 1,000 of each
// with `npm run soak -- library-readers`, fewer with `npx tsx test/fuzz/library-readers.ts --each 25 --seed 7 --only .step`. Reading and
// rejecting with a code are both fine. A file that a library never finishes is stopped at a deadline and counted. Exits
// with 1 if a kernel process crashed. Needs `npm run build`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createPrng } from '../../src/mesh/core/prng.js';
import { createKernelRunner } from '../../src/service/kernel/kernel-runner.js';
import type { JobOutcome } from '../../src/service/kernel/messages.js';
import { LIBRARY_FILES } from '../mesh/formats/files/library-files.js';
import type { Sample } from './built-in-files.js';
import { mutate, type Structure } from './mutate.js';

const MEMORY_BYTES = 1024 ** 3;
const DEADLINE_MS = 30_000;

/** extension → structure of its files. Default: bytes. */
const STRUCTURES: Record<string, Structure> = {
  '.step': 'text',
  '.iges': 'text',
  '.brep': 'text',
  '.ifc': 'text',
  '.ac': 'text',
  '.ase': 'text',
  '.x': 'text',
  '.glb': 'glb',
};

async function loadSamples(): Promise<Sample[]> {
  const loaded = Object.entries(LIBRARY_FILES).map(async ([filename, make]): Promise<Sample> => {
    const structure = filename === 'box.fbx' ? 'text' : (STRUCTURES[path.extname(filename)] ?? 'bytes');
    return { filename, structure, bytes: await make() };
  });
  return Promise.all(loaded);
}

const { values } = parseArgs({
  options: {
    each: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
    record: { type: 'string' },
  },
});
const each = Number(values.each ?? 1000);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));

const folder = mkdtempSync(path.join(os.tmpdir(), 'fuzz-libraries-'));
const crashOutputs: string[] = [];
const runJob = createKernelRunner({
  program: path.resolve('dist/src/service/kernel-process.js'),
  memoryBytes: MEMORY_BYTES,
  timeoutMs: DEADLINE_MS,
  onCrash: (stderr) => crashOutputs.push(stderr),
});

async function runInput({ filename, structure, bytes }: Sample, i: number): Promise<JobOutcome> {
  const random = createPrng(seed + i);
  const inputPath = path.join(folder, `${i}-${filename}`);
  writeFileSync(inputPath, mutate(bytes, structure, random));
  try {
    const job = { operation: 'import', inputPath, outputPath: `${inputPath}.model`, filename, parameters: {} };
    return await runJob(job, { signal: new AbortController().signal });
  } finally {
    rmSync(inputPath, { force: true });
    rmSync(`${inputPath}.model`, { force: true });
  }
}

/** filename → outcome → count */
const table: Record<string, Record<string, number>> = {};
const failures: string[] = [];
const pending = (await loadSamples())
  .filter(({ filename }) => filename.includes(values.only))
  .flatMap((sample) => Array.from({ length: each }, (_, i) => ({ sample, i })));
async function runPending(): Promise<void> {
  for (let next = pending.shift(); next; next = pending.shift()) {
    const { sample, i } = next;
    const outcome = await runInput(sample, i);
    const label = outcome.type === 'done' ? 'read' : outcome.code;
    const row = table[sample.filename] ?? {};
    table[sample.filename] = { ...row, [label]: (row[label] ?? 0) + 1 };
    if (label === 'KERNEL_CRASHED') failures.push(`${sample.filename}, input ${i} of seed ${seed}`);
    else if (label === 'DEADLINE_PASSED')
      console.log(`${sample.filename}, input ${i} of seed ${seed}: stopped at the deadline`);
  }
}
const started = performance.now();
try {
  await Promise.all(Array.from({ length: os.availableParallelism() }, runPending));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.table(table);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${each} inputs of each file, seed ${seed}, ${seconds} s; ${failures.length} kernel processes crashed`);
for (const failure of failures) console.error(failure);
for (const output of crashOutputs) console.error(output);
if (values.record !== undefined) {
  const machine = { node: process.version, cpu: os.cpus()[0]?.model, cores: os.cpus().length };
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const record = {
    version,
    machine,
    each,
    seed,
    seconds,
    timeoutMs: DEADLINE_MS,
    memoryBytes: MEMORY_BYTES,
    outcomes: table,
  };
  writeFileSync(values.record, `${JSON.stringify(record, null, 2)}\n`);
}
process.exitCode = failures.length > 0 ? 1 : 0;
