import type { WorkCounter } from '../core/work-counter.js';
import { closestPointOnTriangle } from '../geometry/point-triangle-distance.js';

/** Points that are separated from others: x, y, z of each. */
export interface PointSet {
  coordinates: Float64Array;
  count: number;
}

/** Hulls that are apart need about eight steps. */
const MAX_STEPS = 24;
/** Rounding errors of a scalar product, as a fraction of the sum of the absolute products. With a large margin. */
const PRODUCT_ERROR = 16 * Number.EPSILON;
/** The faces of a tetrahedron as offsets of its corners, and the corner that is opposite. */
const FACES = [
  [0, 3, 9],
  [0, 6, 9],
  [3, 6, 9],
  [0, 3, 6],
] as const;

/**
 * Returns whether a plane is found between two sets of points, with all points strictly on its sides, so that their
 * convex hulls have no common point. Conservative: false if rounding errors or too many steps leave it open.
 *
 * Searches the point of the Minkowski difference of the hulls that is nearest to the origin (E. G. Gilbert, D. W.
 * Johnson, S. S. Keerthi: A Fast Procedure for Computing the Distance Between Complex Objects in Three-Dimensional
 * Space, 1988), and stops at the first plane.
 *
 * @param maxCoordinate the largest absolute coordinate of all points
 * @param work counts the points that are visited
 */
export function areSeparable(a: PointSet, b: PointSet, maxCoordinate: number, work: WorkCounter): boolean {
  if (a.count === 0 || b.count === 0) return true;
  const simplex = new Float64Array(12); // four points of the difference
  const nearest = new Float64Array(3);
  const direction = subtractMeans(a, b);
  for (let step = 0; step < MAX_STEPS && work.add(a.count + b.count); step++) {
    const [dx, dy, dz] = direction;
    const lowest = findExtreme(a, dx, dy, dz);
    const highest = findExtreme(b, -dx, -dy, -dz);
    for (let k = 0; k < 3; k++) simplex[9 + k] = a.coordinates[lowest + k] - b.coordinates[highest + k];
    const distance = dx * simplex[9] + dy * simplex[10] + dz * simplex[11];
    const error = (Math.abs(dx) + Math.abs(dy) + Math.abs(dz)) * maxCoordinate * PRODUCT_ERROR;
    if (distance > error) return true;
    if (step === 0) for (let k = 0; k < 9; k++) simplex[k] = simplex[9 + (k % 3)];
    if (containsOrigin(simplex)) return false;
    keepNearestFace(simplex, nearest);
    direction.set(nearest);
  }
  return false;
}

/** Returns the mean of the points of `a` minus that of `b`. */
function subtractMeans(a: PointSet, b: PointSet): Float64Array {
  const difference = new Float64Array(3);
  for (let i = 0; i < a.count * 3; i++) difference[i % 3] += a.coordinates[i] / a.count;
  for (let i = 0; i < b.count * 3; i++) difference[i % 3] -= b.coordinates[i] / b.count;
  return difference;
}

/** Returns the offset of the point with the smallest scalar product with a direction. */
function findExtreme({ coordinates, count }: PointSet, dx: number, dy: number, dz: number): number {
  let min = Number.POSITIVE_INFINITY;
  let extreme = 0;
  for (let i = 0; i < count * 3; i += 3) {
    const product = coordinates[i] * dx + coordinates[i + 1] * dy + coordinates[i + 2] * dz;
    if (product >= min) continue;
    min = product;
    extreme = i;
  }
  return extreme;
}

/** Returns whether the origin is inside a tetrahedron. */
function containsOrigin(p: Float64Array): boolean {
  const first = determinant(p, 3, 6, 9);
  return (
    first * determinant(p, 0, 6, 9) < 0 && first * determinant(p, 0, 3, 9) > 0 && first * determinant(p, 0, 3, 6) < 0
  );
}

/** Computes the determinant of three points at offsets of `p`. */
function determinant(p: Float64Array, a: number, b: number, c: number): number {
  return (
    p[a] * (p[b + 1] * p[c + 2] - p[b + 2] * p[c + 1]) +
    p[a + 1] * (p[b + 2] * p[c] - p[b] * p[c + 2]) +
    p[a + 2] * (p[b] * p[c + 1] - p[b + 1] * p[c])
  );
}

/** Moves the face of a tetrahedron that is nearest to the origin to its first three corners, and writes its nearest point. */
function keepNearestFace(p: Float64Array, nearest: Float64Array): void {
  const point = new Float64Array(3);
  let min = Number.POSITIVE_INFINITY;
  let face: (typeof FACES)[number] = FACES[0];
  for (const candidate of FACES) {
    const squared = closestPointOnTriangle(p, candidate[0], candidate[1], candidate[2], 0, 0, 0, point);
    if (!(squared < min)) continue;
    min = squared;
    face = candidate;
    nearest.set(point);
  }
  for (let corner = 0; corner < 3; corner++) p.copyWithin(corner * 3, face[corner], face[corner] + 3);
}
