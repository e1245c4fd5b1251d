import type { MeshGeometry } from '../core/mesh.js';
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
  /** If it is below the distance from which on distances are exact, so is the exact maximum. */
  maxDistanceMm: number;
  /** The same of the points within the limit. */
  maxWithinLimitMm: number;
  /** The triangle with that point, if the last call of `measureFrom` found it. */
  farthest?: number | undefined;
  outliers: Outlier[];
}

/** What is measured of a surface. */
export interface MeasuredSurface {
  mesh: MeshGeometry;
  /** triangle → 1 if it is measured. Default: all */
  isSelected?: Uint8Array;
  /** vertex → a triangle of the other surface where the search for the nearest one starts. Default: 0 */
  hints?: Int32Array;
}

/** Limits of a measurement in mm. */
export interface MeasureLimits {
  /** A point farther than this is an outlier. */
  limitMm: number;
  /** Distances of this and more are exact. */
  exactMm: number;
}

const NONE = -1;
const NOT_MEASURED = -2;
/** Maximum number of sample points along each side of a triangle. */
const MAX_DIVISIONS = 5;
/** divisions → two barycentric weights of each sample point */
const SAMPLE_WEIGHTS = Array.from({ length: MAX_DIVISIONS + 1 }, (_, divisions) => {
  const weights: number[] = [];
  forEachSamplePoint(divisions, (s, t) => weights.push(s, t));
  return Float64Array.from(weights);
});
const EXACT_FRACTION = 0.25;
/** At most this many outliers are returned. */
const MAX_OUTLIERS = 10_000;

/**
 * Measures the distance of two surfaces in both directions, as `measureFrom`. Distances of `exactMm` and more are
 * exact; default: a quarter of the limit.
 */
export function measureDeviation(
  a: MeshGeometry,
  b: MeshGeometry,
  limitMm: number,
  exactMm = limitMm * EXACT_FRACTION,
): Deviation {
  const result: Deviation = { maxDistanceMm: 0, maxWithinLimitMm: 0, outliers: [] };
  measureFrom({ mesh: a }, new DistanceQuery(b), { limitMm, exactMm }, result);
  measureFrom({ mesh: b }, new DistanceQuery(a), { limitMm, exactMm }, result);
  return result;
}

/**
 * Measures the distance of one surface from another: at all vertices, the middles of all edges and the centroids of all
 * triangles and, where these are large, at points `4 * limitMm` apart, up to 5 per edge and 15 per triangle. Adds what
 * it finds to `result`. Calls `onOutlier` with each triangle that has a point beyond the limit.
 *
 * The distance from a triangle is convex: if one is near all corners, no point between them is farther from it.
 */
export function measureFrom(
  { mesh, isSelected, hints }: MeasuredSurface,
  to: DistanceQuery,
  { limitMm, exactMm }: MeasureLimits,
  result: Deviation,
  onOutlier?: (triangle: number) => void,
): void {
  const { positions, triangles } = mesh;
  const point = new Float64Array(3);
  /** vertex → the triangle near it, or `NONE` */
  const nearest = new Int32Array(positions.length / 3).fill(NOT_MEASURED);
  let triangle = 0;
  result.farthest = undefined;

  /** Returns the distance up to which distances need not be exact: they are neither the largest nor that of an outlier. */
  const computeSufficientMm = (): number => Math.max(exactMm, result.maxWithinLimitMm);

  /** Measures a point. Returns the triangle that is near it, or `NONE` for an outlier. */
  const measurePoint = (x: number, y: number, z: number): number => {
    const distanceMm = to.distanceAt(x, y, z, computeSufficientMm());
    if (distanceMm > result.maxDistanceMm) result.maxDistanceMm = distanceMm;
    if (distanceMm <= limitMm) {
      if (distanceMm > result.maxWithinLimitMm) {
        result.maxWithinLimitMm = distanceMm;
        result.farthest = triangle;
      }
      return to.nearest;
    }
    if (result.outliers.length < MAX_OUTLIERS) result.outliers.push({ x, y, z, distanceMm });
    onOutlier?.(triangle);
    return NONE;
  };

  const measureVertex = (vertex: number): void => {
    if (nearest[vertex] !== NOT_MEASURED) return;
    if (hints) to.nearest = hints[vertex];
    nearest[vertex] = measurePoint(positions[vertex * 3], positions[vertex * 3 + 1], positions[vertex * 3 + 2]);
  };

  /** Returns whether a triangle of the other surface is so near a vertex that the distance need not be exact. */
  const isNear = (candidate: number, vertex: number, sufficientSquared: number): boolean =>
    nearest[vertex] === candidate ||
    to.squaredDistanceToTriangle(
      candidate,
      positions[vertex * 3],
      positions[vertex * 3 + 1],
      positions[vertex * 3 + 2],
    ) <= sufficientSquared;

  /** Measures points of an edge, in one of its two directions. An edge that bridges a notch is the farthest there. */
  const measureEdge = (a: number, b: number, sufficientSquared: number): void => {
    if (a > b) return;
    if (nearest[a] !== NONE && isNear(nearest[a], b, sufficientSquared)) return;
    if (nearest[b] !== NONE && isNear(nearest[b], a, sufficientSquared)) return;
    const dx = positions[b * 3] - positions[a * 3];
    const dy = positions[b * 3 + 1] - positions[a * 3 + 1];
    const dz = positions[b * 3 + 2] - positions[a * 3 + 2];
    const divisions = Math.min(MAX_DIVISIONS, Math.ceil(Math.sqrt(dx * dx + dy * dy + dz * dz) / (4 * limitMm)));
    if (nearest[a] !== NONE) to.nearest = nearest[a];
    for (let i = 0; i < divisions; i++) {
      const t = (i + 0.5) / divisions;
      measurePoint(positions[a * 3] + dx * t, positions[a * 3 + 1] + dy * t, positions[a * 3 + 2] + dz * t);
    }
  };

  for (triangle = 0; triangle < triangles.length / 3; triangle++) {
    if (isSelected?.[triangle] === 0) continue;
    const a = triangles[triangle * 3];
    const b = triangles[triangle * 3 + 1];
    const c = triangles[triangle * 3 + 2];
    measureVertex(a);
    measureVertex(b);
    measureVertex(c);
    const sufficientSquared = computeSufficientMm() ** 2;
    const isNearAll = (candidate: number): boolean =>
      candidate !== NONE &&
      isNear(candidate, a, sufficientSquared) &&
      isNear(candidate, b, sufficientSquared) &&
      isNear(candidate, c, sufficientSquared);
    if (isNearAll(nearest[a]) || isNearAll(nearest[b]) || isNearAll(nearest[c])) continue;
    measureEdge(a, b, sufficientSquared);
    measureEdge(b, c, sufficientSquared);
    measureEdge(c, a, sufficientSquared);
    const divisions = Math.ceil(longestEdgeLength(mesh, triangle) / (4 * limitMm));
    const weights = SAMPLE_WEIGHTS[Math.min(MAX_DIVISIONS, Math.max(1, divisions))];
    for (let i = 0; i < weights.length; i += 2) {
      writeBarycentricPoint(mesh, triangle, weights[i], weights[i + 1], point);
      measurePoint(point[0], point[1], point[2]);
    }
  }
}
