import type { IndexedMesh } from '../core/mesh.js';
import { forEachSamplePoint, longestEdgeLength, writeBarycentricPoint } from '../geometry/sample-triangle.js';
import { DistanceQuery } from '../spatial/distance-query.js';

/** A point of one surface whose distance from the other exceeds the limit. */
export interface Outlier {
  x: number;
  y: number;
  z: number;
  distanceMm: number;
}

/** The maximum distance between two surfaces at sample points, and the points beyond the limit. */
export interface Deviation {
  /** An upper bound only if it is below the distance from which on distances are exact. */
  maxDistanceMm: number;
  outliers: Outlier[];
}

const NONE = -1;
const NOT_MEASURED = -2;
/** Maximum number of sample points along each side of a triangle. */
const MAX_DIVISIONS = 5;
const EXACT_FRACTION = 0.25;
/** At most this many outliers are returned. */
const MAX_OUTLIERS = 10_000;

/**
 * Measures the distance of two surfaces in both directions: at all vertices, the middles of all edges and the centroids
 * of all triangles and, where these are large, at points `4 * limitMm` apart, up to 5 per edge and 15 per triangle.
 * Distances of `exactMm` and more are exact; default: a quarter of the limit.
 */
export function measureDeviation(
  a: IndexedMesh,
  b: IndexedMesh,
  limitMm: number,
  exactMm = limitMm * EXACT_FRACTION,
): Deviation {
  const result: Deviation = { maxDistanceMm: 0, outliers: [] };
  measureFrom(a, new DistanceQuery(b), { limitMm, exactMm }, result);
  measureFrom(b, new DistanceQuery(a), { limitMm, exactMm }, result);
  return result;
}

function measureFrom(
  from: IndexedMesh,
  to: DistanceQuery,
  { limitMm, exactMm }: { limitMm: number; exactMm: number },
  result: Deviation,
): void {
  const { positions, triangles } = from;
  const point = new Float64Array(3);
  /** Returns the triangle that is near the point, or `NONE` for an outlier. */
  const measurePoint = (): number => {
    const [x, y, z] = point;
    // A distance that is neither the largest so far nor that of an outlier need not be exact.
    const sufficientMm = Math.max(exactMm, Math.min(result.maxDistanceMm, limitMm));
    const distanceMm = to.distanceAt(x, y, z, sufficientMm);
    if (distanceMm > result.maxDistanceMm) result.maxDistanceMm = distanceMm;
    if (distanceMm <= limitMm) return to.nearest;
    if (result.outliers.length < MAX_OUTLIERS) result.outliers.push({ x, y, z, distanceMm });
    return NONE;
  };
  /** vertex → the triangle near it, or `NONE` */
  const nearest = new Int32Array(positions.length / 3).fill(NOT_MEASURED);
  for (let corner = 0; corner < triangles.length; corner++) {
    const vertex = triangles[corner];
    if (nearest[vertex] !== NOT_MEASURED) continue;
    for (let k = 0; k < 3; k++) point[k] = positions[vertex * 3 + k];
    nearest[vertex] = measurePoint();
  }
  /** Measures points of an edge, in one of its two directions. An edge that bridges a notch is the farthest there. */
  const measureEdge = (a: number, b: number): void => {
    if (a > b || (nearest[a] !== NONE && nearest[a] === nearest[b])) return;
    let squaredLength = 0;
    for (let k = 0; k < 3; k++) squaredLength += (positions[a * 3 + k] - positions[b * 3 + k]) ** 2;
    const divisions = Math.min(MAX_DIVISIONS, Math.ceil(Math.sqrt(squaredLength) / (4 * limitMm)));
    for (let i = 0; i < divisions; i++) {
      const t = (i + 0.5) / divisions;
      for (let k = 0; k < 3; k++) point[k] = positions[a * 3 + k] * (1 - t) + positions[b * 3 + k] * t;
      measurePoint();
    }
  };
  for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
    const first = nearest[triangles[triangle * 3]];
    const isFirstNear = first !== NONE && first === nearest[triangles[triangle * 3 + 1]];
    // The distance from a triangle is convex: if the same one is near all corners, no other point is farther away.
    if (isFirstNear && first === nearest[triangles[triangle * 3 + 2]]) continue;
    for (let k = 0; k < 3; k++) measureEdge(triangles[triangle * 3 + k], triangles[triangle * 3 + ((k + 1) % 3)]);
    const divisions = Math.ceil(longestEdgeLength(from, triangle) / (4 * limitMm));
    forEachSamplePoint(Math.min(MAX_DIVISIONS, Math.max(1, divisions)), (s, t) => {
      writeBarycentricPoint(from, triangle, s, t, point);
      measurePoint();
    });
  }
}
