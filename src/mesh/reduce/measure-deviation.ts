import type { MeshGeometry } from '../core/mesh.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import { SurfaceMeasurement } from './surface-measurement.js';

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

const EXACT_FRACTION = 0.25;

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
  surface: MeasuredSurface,
  to: DistanceQuery,
  limits: MeasureLimits,
  result: Deviation,
  onOutlier?: (triangle: number) => void,
): void {
  const { mesh, isSelected } = surface;
  const measurement = new SurfaceMeasurement(surface, to, limits, result, onOutlier);
  result.farthest = undefined;
  for (let triangle = 0; triangle < mesh.triangles.length / 3; triangle++)
    if (isSelected?.[triangle] !== 0) measurement.measureTriangle(triangle);
}
