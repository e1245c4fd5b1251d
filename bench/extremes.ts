// Measures the processor time of every operation and every export for models with very many triangles at one vertex, edge or
// place. `npm run bench -- extremes [--triangles N] [--deadline SECONDS] [--only NAME] [--record FILE]` prints the jobs that
// take longest, and writes the figures to FILE, by default to bench/results/extremes.json. The deadline of a job is wall-clock time.
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EXPORT_FORMATS } from '../src/mesh/formats/registry.js';
import { serializeModel } from '../src/mesh/formats/serialize-model.js';
import type { Job, JobParameters } from '../src/service/kernel/messages.js';
import { createExtreme, EXTREME_MODELS } from '../test/mesh/models/extremes.js';
import type { JobFigures } from './extremes/run-job.js';
import { describeMachine } from './kernel/figures.js';

const RUN_JOB = fileURLToPath(new URL('extremes/run-job.ts', import.meta.url));
const RESULT = fileURLToPath(new URL('results/extremes.json', import.meta.url));
const MAX_S = 10;
const MAX_FIELD_S = 30;
/** Operations that compute a distance field. */
const FIELD_OPERATIONS = new Set(['hollowing', 'shrinkwrap-repair']);
const LONGEST_COUNT = 20;

const OPERATIONS: readonly [operation: string, parameters: JobParameters][] = [
  ['analyze', {}],
  ['repair', {}],
  ['geometrical-repair', {}],
  ['scale', { axis: 'z', scaleToSizeMm: 80 }],
  ['reduce-triangles', { accuracyMm: 0.1, targetTriangles: 0, maxAngle: 15, numberOfIterations: 1 }],
  ['reduce-triangles', { accuracyMm: 0.1, targetTriangles: 1000, maxAngle: 180, numberOfIterations: 1 }],
  ['hollowing', { wallThicknessMm: 2, direction: 'inward', drainHoleCount: 1, drainHoleDiameterMm: 4, upAxis: 'z' }],
  ['shrinkwrap-repair', { accuracy: 'Smooth' }],
  ['wall-thickness-analysis', { minimalWallThicknessMm: 1, accuracyWallThickness: 2 }],
  ['thumbnail', { width: 400, height: 300, cameraAngleX: 25, cameraAngleY: 0, cameraAngleZ: -35, background: 'plain' }],
  [
    'thumbnail',
    { width: 4096, height: 4096, cameraAngleX: 25, cameraAngleY: 0, cameraAngleZ: -35, background: 'plain' },
  ],
  ['preview', { triangles: 200_000 }],
  ['preview', { triangles: 1000 }],
  ...EXPORT_FORMATS.map(({ id }): [string, JobParameters] => ['export', { exportToFormat: id }]),
];

/** Runs jobs one after the other in a process, which a deadline of wall-clock time ends. */
function createWorker(deadlineMs: number): { run: (job: Job) => Promise<JobFigures>; close: () => void } {
  let child: ChildProcess | undefined;
  const close = () => {
    child?.kill('SIGKILL');
    child = undefined;
  };
  const run = (job: Job) =>
    new Promise<JobFigures>((resolve) => {
      child ??= fork(RUN_JOB, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      const current = child;
      const finish = (figures: JobFigures) => {
        clearTimeout(timer);
        current.removeAllListeners();
        resolve(figures);
      };
      const end = (code: string) => {
        close();
        finish({ s: deadlineMs / 1000, code });
      };
      const timer = setTimeout(() => end('DEADLINE_PASSED'), deadlineMs);
      current.once('exit', () => end('KERNEL_CRASHED'));
      current.once('message', (figures: JobFigures) => finish(figures));
      current.send(job);
    });
  return { run, close };
}

interface Row extends JobFigures {
  model: string;
  operation: string;
}

function describe({ model, operation, s, code }: Row): string {
  return `${s.toFixed(1).padStart(7)} s  ${model}: ${operation}${code ? ` ${code}` : ''}`;
}

async function measureModel(model: string, count: number, folder: string, deadlineMs: number): Promise<Row[]> {
  const worker = createWorker(deadlineMs);
  const rows: Row[] = [];
  const measure = async (operation: string, parameters: JobParameters, inputPath: string, outputPath: string) => {
    const output = operation === 'analyze' ? {} : { outputPath };
    const job = { operation, inputPath, filename: `${model}.off`, ...output, parameters };
    const figures = await worker.run({ ...job, memoryBytes: 4 * 1024 ** 3, checksOwnMemory: false });
    const name = [operation, ...Object.values(parameters).slice(0, 2)].join(' ');
    const row = { model, operation: name, ...figures, s: Math.round(figures.s * 100) / 100 };
    rows.push(row);
    console.log(describe(row));
  };
  const [file, imported] = [path.join(folder, `${model}.off`), path.join(folder, `${model}.model`)];
  writeFileSync(file, Buffer.concat([...serializeModel(createExtreme(model, count), 'off')]));
  await measure('import', {}, file, imported);
  if (existsSync(imported)) {
    for (const [operation, parameters] of OPERATIONS) {
      await measure(operation, parameters, imported, path.join(folder, 'output'));
    }
  }
  worker.close();
  return rows;
}

const { values } = parseArgs({
  options: {
    triangles: { type: 'string', default: '100000' },
    deadline: { type: 'string', default: '300' },
    record: { type: 'string', default: RESULT },
    only: { type: 'string', default: '' },
  },
});
const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-extremes-'));
try {
  const rows: Row[] = [];
  for (const model of Object.keys(EXTREME_MODELS).filter((name) => name.includes(values.only))) {
    rows.push(...(await measureModel(model, Number(values.triangles), folder, Number(values.deadline) * 1000)));
  }
  rows.sort((a, b) => b.s - a.s);
  console.log('\nThe longest:');
  for (const row of rows.slice(0, LONGEST_COUNT)) console.log(describe(row));
  const isAboveLimit = ({ operation, s }: Row) =>
    s > (FIELD_OPERATIONS.has(operation.split(' ')[0] ?? '') ? MAX_FIELD_S : MAX_S);
  const summary = {
    what: `seconds of processor time for models of ${values.triangles} triangles`,
    aboveLimit: rows.filter(isAboveLimit).length,
    machine: describeMachine(),
    jobs: rows,
  };
  writeFileSync(values.record, `${JSON.stringify(summary, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
