// Reads, welds and writes a binary STL of a million triangles in a separate process, alternating with `admesh
// --write-binary-stl`. `npx tsx bench/stl.ts` prints the medians and their ratio, and writes bench/results/stl.json.
// The files are in the page cache.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { serializeModel } from '../src/mesh/formats/serialize-model.js';
import { makeSphere } from './kernel/sphere.js';

const RUNS = 5;
const RINGS = 708;

/** Returns the wall time of a process in ms. */
function measureMs(program: string, args: readonly string[]): number {
  const start = performance.now();
  execFileSync(program, args, { stdio: 'ignore' });
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-stl-'));
try {
  const source = path.join(folder, 'source.stl');
  const mesh = makeSphere(RINGS);
  writeFileSync(source, Buffer.concat([...serializeModel(mesh, 'stl')]));
  const program = path.join(folder, 'round-trip.mjs');
  const entryPoints = [path.join(root, 'bench/stl-round-trip.ts')];
  await build({ entryPoints, outfile: program, bundle: true, platform: 'node', format: 'esm', target: 'node20' });
  readFileSync(source);
  const times: { ours: number[]; admesh: number[] } = { ours: [], admesh: [] };
  for (let run = 0; run < RUNS; run++) {
    times.admesh.push(measureMs('admesh', [`--write-binary-stl=${path.join(folder, 'admesh.stl')}`, source]));
    times.ours.push(measureMs(process.execPath, [program, source, path.join(folder, 'ours.stl')]));
  }
  const result = {
    what: 'binary STL read, welded and written, whole process, median of 5',
    triangles: mesh.triangles.length / 3,
    oursMs: Math.round(median(times.ours)),
    admeshMs: Math.round(median(times.admesh)),
    ratio: Number((median(times.ours) / median(times.admesh)).toFixed(3)),
    machine: { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version, system: os.type() },
  };
  writeFileSync(path.join(root, 'bench/results/stl.json'), `${JSON.stringify(result, null, 2)}\n`);
  console.log(`ours ${result.oursMs} ms, admesh ${result.admeshMs} ms, ratio ${result.ratio} (target: at most 1)`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
