// Compares `reduce-triangles` at 0.1 % of the diagonal with the simplification of meshoptimizer at an equal measured distance.
// `npm run bench -- reduction DIR... [--record FILE] [--only TEXT]`, with the models of the bench `fields`. Both in one process, in turn.
// The distance is measured in both directions at the same kind of points. meshoptimizer has no measured limit: the least number of
// triangles with an equal distance is searched by bisection. Prints the figures and writes bench/results/reduction.json.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MeshoptSimplifier } from 'meshoptimizer/simplifier';
import { analyze } from '../src/mesh/analysis/analyze.js';
import { verdictOf } from '../src/mesh/analysis/verdict.js';
import type { IndexedMesh, MeshGeometry } from '../src/mesh/core/mesh.js';
import { computeBounds, diagonalOf } from '../src/mesh/geometry/bounds.js';
import { measureDeviation } from '../src/mesh/reduce/measure-deviation.js';
import { reduceTriangles } from '../src/mesh/reduce/reduce-triangles.js';
import { compact } from '../src/mesh/topology/compact.js';
import { loadModels, type Model } from './fields/load-models.js';
import { describeMachine, median, roundTo } from './kernel/figures.js';

const ACCURACY_FRACTION = 1e-3;
/** Points are 4 times this fraction of the diagonal apart, and distances above a hundredth of it are exact. */
const MEASURED_FRACTION = 2.5e-4;
const RUNS = 3;
const BISECTIONS = 10;
const RESULT = fileURLToPath(new URL('results/reduction.json', import.meta.url));

/** Returns the result of `run` and the least processor time of several runs in ms. */
function measureCpu<T>(run: () => T): { result: T; cpuMs: number } {
  let cpuMs = Number.POSITIVE_INFINITY;
  let result: T | undefined;
  for (let i = 0; i < RUNS; i++) {
    const before = process.cpuUsage();
    result = run();
    const { user, system } = process.cpuUsage(before);
    cpuMs = Math.min(cpuMs, (user + system) / 1000);
  }
  if (result === undefined) throw new Error('Nothing was measured.');
  return { result, cpuMs };
}

/** Returns the distance of two surfaces in both directions. */
function measureDistance(a: IndexedMesh, b: IndexedMesh, diagonalMm: number): number {
  const limitMm = diagonalMm * MEASURED_FRACTION;
  return measureDeviation(a, b, limitMm, limitMm / 100).maxDistanceMm;
}

/** Creates a function that simplifies a mesh to a number of triangles by meshoptimizer. */
function createSimplifier({ positions, triangles }: MeshGeometry): (count: number) => IndexedMesh {
  const { min } = computeBounds(positions);
  // Float32, relative to a corner of the box. The function scales them itself.
  const points = Float32Array.from(positions, (value, i) => value - (min[i % 3] ?? 0));
  return (count) => {
    const [remaining] = MeshoptSimplifier.simplify(triangles, points, 3, count * 3, 1);
    return { positions, triangles: remaining };
  };
}

function compareOn({ name, solid, analyzed }: Model) {
  const diagonalMm = diagonalOf(computeBounds(solid.positions));
  const options = { accuracyMm: diagonalMm * ACCURACY_FRACTION, maxAngle: 60, numberOfIterations: 1 };
  const own = measureCpu(() => reduceTriangles(solid, analyzed, options));
  const distanceMm = measureDistance(solid, own.result.mesh, diagonalMm);
  const simplify = createSimplifier(solid);
  const searchStart = process.cpuUsage();
  let [tooFew, enough] = [0, solid.triangles.length / 3];
  for (let i = 0; i < BISECTIONS && enough - tooFew > 2; i++) {
    const count = Math.round((tooFew + enough) / 2);
    if (measureDistance(solid, simplify(count), diagonalMm) <= distanceMm) enough = count;
    else tooFew = count;
  }
  const search = process.cpuUsage(searchStart);
  const other = measureCpu(() => simplify(enough));
  const { positions, triangles } = compact(solid.positions, other.result.triangles);
  return {
    name,
    triangles: solid.triangles.length / 3,
    distance: roundTo(distanceMm / diagonalMm, 6),
    own: { triangles: own.result.mesh.triangles.length / 3, cpuMs: roundTo(own.cpuMs, 1) },
    meshoptimizer: {
      triangles: triangles.length / 3,
      level: verdictOf(analyze({ positions, triangles })).level,
      cpuMs: roundTo(other.cpuMs, 1),
      searchCpuMs: roundTo((search.user + search.system) / 1000),
    },
    triangleRatio: roundTo(own.result.mesh.triangles.length / triangles.length, 3),
    timeRatio: roundTo(own.cpuMs / other.cpuMs, 1),
  };
}

const { values, positionals } = parseArgs({
  options: { record: { type: 'string', default: RESULT }, only: { type: 'string', default: '' } },
  allowPositionals: true,
});
if (positionals.length === 0) throw new Error('Usage: npm run bench -- reduction DIR... [--record FILE] [--only TEXT]');
await MeshoptSimplifier.ready;
const models = (await loadModels(positionals)).filter(({ name }) => name.includes(values.only));
const rows = models.map((model) => {
  const row = compareOn(model);
  console.log(JSON.stringify(row));
  return row;
});
const ratios = rows.map(({ triangleRatio }) => triangleRatio);
const times = rows.map(({ timeRatio }) => timeRatio);
const summary = {
  what: 'reduction at 0.1 % of the diagonal, compared with meshoptimizer at an equal measured distance in both directions; searchCpuMs: the search for the number of triangles with that distance',
  models: rows.length,
  triangleRatio: { median: median(ratios), largest: Math.max(...ratios) },
  timeRatio: { median: median(times), largest: Math.max(...times) },
  machine: describeMachine(),
};
console.log(JSON.stringify(summary, null, 2));
writeFileSync(values.record, `${JSON.stringify({ ...summary, rows }, null, 2)}\n`);
