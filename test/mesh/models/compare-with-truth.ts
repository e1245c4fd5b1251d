import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { computeBounds, diagonalOf } from '../../../src/mesh/geometry/bounds.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { samplePoints } from './sample-points.js';

const POINTS = 4000;
const VOLUME_TOLERANCE_FRACTION = 0.01;
/** A point farther from the other surface than this fraction of the diagonal is away from it. */
const DISTANCE_FRACTION = 0.005;
const MAX_AWAY_FRACTION = 0.01;

/**
 * Compares a repaired mesh with the solid that it should be. Returns why they differ, or `undefined` if the mesh is a
 * solid with this volume within 1 % and 99 % of either surface is within 0.5 % of the diagonal of the other.
 */
export function compareWithTruth(mesh: IndexedMesh, truth: IndexedMesh): string | undefined {
  const analysis = analyze(mesh);
  const { level } = verdictOf(analysis);
  if (level !== 'solid') return level;
  const truthMm3 = analyze(truth).volumeMm3;
  const change = analysis.volumeMm3 / truthMm3 - 1;
  if (Math.abs(change) > VOLUME_TOLERANCE_FRACTION) return `volume ${formatPercent(change)}`;
  const limitMm = DISTANCE_FRACTION * diagonalOf(computeBounds(truth.positions));
  const added = measureAway(mesh, truth, limitMm);
  if (added > MAX_AWAY_FRACTION) return `surface added ${formatPercent(added)}`;
  const lost = measureAway(truth, mesh, limitMm);
  return lost > MAX_AWAY_FRACTION ? `surface lost ${formatPercent(lost)}` : undefined;
}

/** Returns the fraction of a surface that is farther than `limitMm` from the other. */
function measureAway(from: IndexedMesh, to: IndexedMesh, limitMm: number): number {
  const query = new DistanceQuery(to);
  let count = 0;
  samplePoints(from, POINTS, (x, y, z) => {
    if (query.distanceAt(x, y, z) > limitMm) count++;
  });
  return count / POINTS;
}

function formatPercent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)} %`;
}
