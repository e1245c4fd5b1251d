import type { IndexedMesh } from '../core/mesh.js';
import { forEachSamplePoint, longestEdgeLength, writeBarycentricPoint } from '../geometry/sample-triangle.js';
import { DistanceQuery } from '../spatial/distance-query.js';

/** A point of one surface that is too far from another one. */
export interface Outlier {
  x: number;
  y: number;
  z: number;
  distanceMm: number;
}

/** How far two surfaces are from each other at most, as far as was looked, and where that is beyond what is allowed. */
export interface Deviation {
  /** Where it is below a quarter of what is allowed: not measured closely. */
  maxDistanceMm: number;
  outliers: Outlier[];
}

// Points on each side of a triangle, at most.
const MAX_DIVISIONS = 5;
// What is nearer than this share of what is allowed need not be measured closely.
const COARSE_FRACTION = 0.25;
// Enough to see where it is too far.
const MAX_OUTLIERS = 10_000;

/**
 * Measures, both ways, how far a surface is from another one: at all corners, in the middle of all triangles and, where they are large, at
 * points on them that are `4 * limitMm` apart, up to 15 a triangle. Exact at each point.
 */
export function measureDeviation(a: IndexedMesh, b: IndexedMesh, limitMm: number): Deviation {
  const result: Deviation = { maxDistanceMm: 0, outliers: [] };
  measureFrom(a, new DistanceQuery(b), limitMm, result);
  measureFrom(b, new DistanceQuery(a), limitMm, result);
  return result;
}

function measureFrom(from: IndexedMesh, to: DistanceQuery, limitMm: number, result: Deviation): void {
  const { positions, triangles } = from;
  const point = new Float64Array(3);
  const measurePoint = (): void => {
    const [x, y, z] = point;
    const distanceMm = to.distanceAt(x, y, z, limitMm * COARSE_FRACTION);
    if (distanceMm > result.maxDistanceMm) result.maxDistanceMm = distanceMm;
    if (distanceMm > limitMm && result.outliers.length < MAX_OUTLIERS) result.outliers.push({ x, y, z, distanceMm });
  };
  const isSeen = new Uint8Array(positions.length / 3);
  for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
    for (let k = 0; k < 3; k++) {
      const vertex = triangles[triangle * 3 + k];
      if (isSeen[vertex] === 1) continue;
      isSeen[vertex] = 1;
      point.set(positions.subarray(vertex * 3, vertex * 3 + 3));
      measurePoint();
    }
    const divisions = Math.ceil(longestEdgeLength(from, triangle) / (4 * limitMm));
    forEachSamplePoint(Math.min(MAX_DIVISIONS, Math.max(1, divisions)), (s, t) => {
      writeBarycentricPoint(from, triangle, s, t, point);
      measurePoint();
    });
  }
}
