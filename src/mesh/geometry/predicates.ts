// Exact predicates on float64 coordinates (J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates, 1997). The only file that imports robust-predicates.
import { incircle, orient2d, orient3d } from 'robust-predicates';

/**
 * Returns the side of the plane a, b, c on which d lies: +1 behind it, -1 in front, 0 exactly on it. In front is where
 * a, b, c are counterclockwise. Exact.
 *
 * @param p positions
 * @param a vertex index, likewise `b`, `c` and `d`
 */
export function orient3dSign(p: Float64Array, a: number, b: number, c: number, d: number): number {
  const i = a * 3;
  const j = b * 3;
  const k = c * 3;
  const l = d * 3;
  // Planar regions are mostly axis-aligned. This shortcut avoids the slowest case of the adaptive arithmetic.
  if (p[i] === p[j] && p[i] === p[k] && p[i] === p[l]) return 0;
  if (p[i + 1] === p[j + 1] && p[i + 1] === p[k + 1] && p[i + 1] === p[l + 1]) return 0;
  if (p[i + 2] === p[j + 2] && p[i + 2] === p[k + 2] && p[i + 2] === p[l + 2]) return 0;
  return Math.sign(
    orient3d(p[i], p[i + 1], p[i + 2], p[j], p[j + 1], p[j + 2], p[k], p[k + 1], p[k + 2], p[l], p[l + 1], p[l + 2]),
  );
}

/**
 * Computes six times the signed volume of the tetrahedron a, b, c, d. Its sign is exact and equals `orient3dSign`; its
 * magnitude is rounded.
 */
export function orient3dValue(p: Float64Array, a: number, b: number, c: number, d: number): number {
  const i = a * 3;
  const j = b * 3;
  const k = c * 3;
  const l = d * 3;
  return orient3d(
    p[i],
    p[i + 1],
    p[i + 2],
    p[j],
    p[j + 1],
    p[j + 2],
    p[k],
    p[k + 1],
    p[k + 2],
    p[l],
    p[l + 1],
    p[l + 2],
  );
}

/**
 * Returns the orientation of three points in a plane: +1 counterclockwise, -1 clockwise, 0 exactly collinear. Exact.
 *
 * @param xy point → x, y
 */
export function orient2dSign(xy: readonly number[], a: number, b: number, c: number): number {
  // robust-predicates has y pointing down.
  return -Math.sign(orient2d(xy[a * 2], xy[a * 2 + 1], xy[b * 2], xy[b * 2 + 1], xy[c * 2], xy[c * 2 + 1]));
}

/**
 * Returns whether d lies inside the circle through a, b and c, which must be counterclockwise. Exact.
 *
 * @param xy point → x, y
 */
export function isInCircle(xy: readonly number[], a: number, b: number, c: number, d: number): boolean {
  return (
    incircle(xy[a * 2], xy[a * 2 + 1], xy[b * 2], xy[b * 2 + 1], xy[c * 2], xy[c * 2 + 1], xy[d * 2], xy[d * 2 + 1]) > 0
  );
}

/**
 * Returns the orientation of a, b and c projected along an axis (0: x, 1: y, 2: z): +1 clockwise and -1
 * counterclockwise in the remaining two coordinates, taken in ascending order; 0 exactly collinear. Exact.
 */
export function orient2dSignAlong(axis: number, p: Float64Array, a: number, b: number, c: number): number {
  const u = axis === 0 ? 1 : 0;
  const v = axis === 2 ? 1 : 2;
  const i = a * 3;
  const j = b * 3;
  const k = c * 3;
  return Math.sign(orient2d(p[i + u], p[i + v], p[j + u], p[j + v], p[k + u], p[k + v]));
}

/**
 * Returns the orientation of a, b and c in the coordinates `u` (to the right) and `v` (up) of a position: +1
 * counterclockwise, -1 clockwise, 0 exactly collinear. Exact.
 */
export function orient2dSignIn(p: Float64Array, u: number, v: number, a: number, b: number, c: number): number {
  const i = a * 3;
  const j = b * 3;
  const k = c * 3;
  // robust-predicates has y pointing down.
  return -Math.sign(orient2d(p[i + u], p[i + v], p[j + u], p[j + v], p[k + u], p[k + v]));
}

/** Returns whether three vertices are exactly collinear or coincident: collinear in the projection along each axis. */
export function areCollinear(p: Float64Array, a: number, b: number, c: number): boolean {
  return (
    orient2dSignAlong(0, p, a, b, c) === 0 &&
    orient2dSignAlong(1, p, a, b, c) === 0 &&
    orient2dSignAlong(2, p, a, b, c) === 0
  );
}
