import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { computeBounds, diagonalOf } from '../../../src/mesh/geometry/bounds.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { samplePoints } from './sample-points.js';

const POINTS = 4000;
/** A point farther from the other surface than this fraction of the diagonal is away from it. */
const DISTANCE_FRACTION = 0.005;

/**
 * Compares a repaired mesh with the solid that it should be. Returns why they differ, or `undefined` if the mesh is a
 * solid, if the volume is the same and each surface is within 0.5 % of the diagonal of the other.
 *
 * @param toleranceFraction fraction of the volume and of the surfaces that may differ
 */
export function compareWithTruth(mesh: IndexedMesh, truth: IndexedMesh, toleranceFraction = 0.01): string | undefined {
  const analysis = analyze(mesh);
  const { level } = verdictOf(analysis);
  if (level !== 'solid') return level;
  const truthMm3 = analyze(truth).volumeMm3;
  const change = analysis.volumeMm3 / truthMm3 - 1;
  if (Math.abs(change) > toleranceFraction) return `volume ${formatPercent(change)}`;
  const limitMm = DISTANCE_FRACTION * diagonalOf(computeBounds(truth.positions));
  const added = measureAway(mesh, truth, limitMm);
  if (added > toleranceFraction) return `surface added ${formatPercent(added)}`;
  const lost = measureAway(truth, mesh, limitMm);
  return lost > toleranceFraction ? `surface lost ${formatPercent(lost)}` : undefined;
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
