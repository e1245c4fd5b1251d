// The baseline of `bench/preview.ts`: prints the time in ms that meshoptimizer takes to simplify a stored model, without
// loading and reading. Arguments: FILE TRIANGLES.
import { readFileSync } from 'node:fs';
import { MeshoptSimplifier } from 'meshoptimizer/simplifier';
import { parseInternal } from '../../src/mesh/formats/internal-format.js';

const [file = '', triangles = ''] = process.argv.slice(2);

async function run(): Promise<number> {
  const stored = parseInternal(readFileSync(file));
  const points = Float32Array.from(stored.positions);
  await MeshoptSimplifier.ready;
  const start = performance.now();
  MeshoptSimplifier.simplify(stored.triangles, points, 3, Number(triangles) * 3, 1);
  return performance.now() - start;
}

run().then(console.log, (error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
