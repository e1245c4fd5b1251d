// Measures the operation `preview`: the size of its file compared with an export to GLB, and its time for a million sound
// triangles, as a whole kernel process, compared with the simplification of meshoptimizer alone. `npm run
// bench -- preview` prints the figures and writes bench/results/preview.json.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { analyzeWithPlaces } from '../src/mesh/analysis/analyze.js';
import type { MeshGeometry } from '../src/mesh/core/mesh.js';
import { serializeGlb } from '../src/mesh/formats/gltf/glb-writer.js';
import { serializePreview } from '../src/mesh/formats/gltf/preview-writer.js';
import { serializeInternal } from '../src/mesh/formats/internal-format.js';
import { createPreview } from '../src/mesh/preview/create-preview.js';
import type { Job } from '../src/service/kernel/messages.js';
import { makeSphere } from './kernel/sphere.js';

const RUNS = 5;
const TRIANGLES = 200_000;
/** Give 1,001,112 and 199,080 triangles. */
const [LARGE_RINGS, SMALL_RINGS] = [708, 316];

function countBytes(chunks: Iterable<Uint8Array>): number {
  return [...chunks].reduce((sum, { length }) => sum + length, 0);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Returns the size of a preview, and that of an exported GLB of the surface that it shows. */
async function measureSize(mesh: MeshGeometry) {
  const preview = await createPreview(mesh, { maxTriangles: TRIANGLES });
  const previewBytes = countBytes(await serializePreview(preview));
  const exportBytes = countBytes(serializeGlb(preview.surface));
  const ratio = Number((previewBytes / exportBytes).toFixed(3));
  return {
    triangles: mesh.triangles.length / 3,
    shown: preview.surface.triangles.length / 3,
    previewBytes,
    exportBytes,
    ratio,
  };
}

const root = path.resolve(fileURLToPath(import.meta.url), '../..');

/** Runs a preview in a kernel process. Returns its time in ms, from its start to its end. */
async function measureOperation(inputPath: string, outputPath: string): Promise<number> {
  const job: Job = {
    ...{ operation: 'preview', inputPath, outputPath, filename: 'sphere.stl', parameters: { triangles: TRIANGLES } },
    ...{ memoryBytes: 2 ** 32, checksOwnMemory: false },
  };
  const start = performance.now();
  const program = path.join(root, 'dist/src/service/kernel-process.js');
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  child.stdin.write(`${JSON.stringify(job)}\n`);
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  await exited;
  if (!/"type":"done"/.test(output)) throw new Error(`The preview failed: ${output}`);
  return performance.now() - start;
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-preview-'));
try {
  const sphere = makeSphere(LARGE_RINGS);
  const sizes = [await measureSize(makeSphere(SMALL_RINGS)), await measureSize(sphere)];
  const input = path.join(folder, 'model');
  const output = path.join(folder, 'preview.glb');
  writeFileSync(input, Buffer.concat([...serializeInternal(sphere, analyzeWithPlaces(sphere))]));
  const baseline = path.join(folder, 'simplify.mjs');
  const entryPoints = [path.join(root, 'bench/preview/simplify-once.ts')];
  await build({ entryPoints, outfile: baseline, bundle: true, platform: 'node', format: 'esm', target: 'node20' });
  readFileSync(input);
  const times: { simplify: number[]; operation: number[] } = { simplify: [], operation: [] };
  for (let run = 0; run < RUNS; run++) {
    times.simplify.push(
      Number(execFileSync(process.execPath, [baseline, input, String(TRIANGLES)], { encoding: 'utf8' })),
    );
    times.operation.push(await measureOperation(input, output));
  }
  const [simplifyMs, previewMs] = [Math.round(median(times.simplify)), Math.round(median(times.operation))];
  const time = {
    what: 'preview of sound triangles, whole kernel process; simplification by meshoptimizer alone; median of 5',
    ...{ triangles: sphere.triangles.length / 3, bytes: statSync(output).size, simplifyMs, previewMs },
    ratio: Number((previewMs / simplifyMs).toFixed(2)),
  };
  const machine = { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version, system: os.type() };
  const result = { what: 'size of a preview without defects, compared with an exported GLB', sizes, time, machine };
  writeFileSync(path.join(root, 'bench/results/preview.json'), `${JSON.stringify(result, null, 2)}\n`);
  for (const { triangles, shown, previewBytes, ratio } of sizes)
    console.log(`${shown} of ${triangles} triangles: ${previewBytes} bytes, ratio ${ratio} (target: at most 0.22)`);
  console.log(`operation ${previewMs} ms, simplification ${simplifyMs} ms, ratio ${time.ratio} (target: at most 2)`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
