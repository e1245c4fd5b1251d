// Repairs every model of a folder and compares each result with its input: whether the bounds are equal, and which
// fraction of the surface is away from the input surface. That fraction may not exceed the filled area in the report.
// `npx tsx bench/deviation.ts DIR` prints a line per model and exits with 1 if one deviates. Sample points are
// distributed by area, deterministically.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Box3 } from '../src/mesh/core/mesh.js';
import { parseModel } from '../src/mesh/formats/parse-model.js';
import { computeBounds, diagonalOf } from '../src/mesh/geometry/bounds.js';
import { repair } from '../src/mesh/repair/repair.js';
import { DistanceQuery } from '../src/mesh/spatial/distance-query.js';
import { compact } from '../src/mesh/topology/compact.js';
import { samplePoints } from '../test/mesh/models/sample-points.js';

const POINTS = 20_000;
/** A point farther from the input surface than this fraction of the diagonal is away from it. */
const DEVIATION_FRACTION = 1e-4;
/** Tolerance of the bounds, as a fraction of the diagonal. */
const BOUNDS_TOLERANCE_FRACTION = 1e-3;
/** Sampling error, as a fraction of the area. */
const SAMPLING_ERROR = 5e-3;

function computeBoundsDifference(a: Box3, b: Box3): number {
  return Math.max(
    ...[0, 1, 2].flatMap((k) => [
      Math.abs((a.min[k] ?? 0) - (b.min[k] ?? 0)),
      Math.abs((a.max[k] ?? 0) - (b.max[k] ?? 0)),
    ]),
  );
}

async function run(): Promise<void> {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('usage: npx tsx bench/deviation.ts DIR');
  for (const name of readdirSync(folder).filter((file) => /\.(stl|obj|off|ply)$/i.test(file))) {
    const { mesh } = await parseModel(readFileSync(path.join(folder, name)), { filename: name });
    const usedMesh = compact(mesh.positions, mesh.triangles);
    const diagonalMm = diagonalOf(computeBounds(usedMesh.positions));
    const { mesh: repaired, report } = repair(mesh);
    const search = new DistanceQuery(mesh);
    let away = 0;
    samplePoints(repaired, POINTS, (x, y, z) => {
      if (search.distanceAt(x, y, z) > DEVIATION_FRACTION * diagonalMm) away++;
    });
    const awayFraction = away / POINTS;
    const filledFraction = report.filledAreaMm2 / report.after.surfaceAreaMm2;
    const boxFraction =
      computeBoundsDifference(computeBounds(usedMesh.positions), computeBounds(repaired.positions)) / diagonalMm;
    const isWithinTolerance =
      report.verdict.level === 'solid' &&
      boxFraction <= BOUNDS_TOLERANCE_FRACTION &&
      awayFraction <= filledFraction + SAMPLING_ERROR;
    if (!isWithinTolerance) process.exitCode = 1;
    console.log(
      `${name.slice(0, 44).padEnd(45)} ${report.verdict.level.padEnd(10)} box ${boxFraction.toExponential(1).padEnd(8)}`,
      `away ${(awayFraction * 100).toFixed(3)} %, filled ${(filledFraction * 100).toFixed(3)} % ${isWithinTolerance ? '' : ' <<'}`,
    );
  }
}

await run();
