// Exact predicates on float64 coordinates (J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates, 1997). The only file that imports robust-predicates.
import { incircle, orient2d, orient3d } from 'robust-predicates';

/** Above this multiple of the sum of the absolute terms, the sign of a rounded 3 × 3 determinant is right (Shewchuk 1997). */
const ORIENT3D_ERROR_BOUND = (7 + 56 * 2 ** -53) * 2 ** -53;

/**
 * Returns the side of the plane a, b, c on which d lies: +1 behind it, -1 in front, 0 exactly on it. In front is where
 * a, b, c are counterclockwise. Exact: tries floating-point arithmetic first, then the cases in which the result is
 * zero for a simple reason, since the adaptive arithmetic takes longest for these.
 *
 * @param p positions
 * @param a vertex index, likewise `b`, `c` and `d`
 */
export function orient3dSign(p: Float64Array, a: number, b: number, c: number, d: number): number {
  const i = a * 3;
  const j = b * 3;
  const k = c * 3;
  const l = d * 3;
  const adx = p[i] - p[l];
  const bdx = p[j] - p[l];
  const cdx = p[k] - p[l];
  const ady = p[i + 1] - p[l + 1];
  const bdy = p[j + 1] - p[l + 1];
  const cdy = p[k + 1] - p[l + 1];
  const adz = p[i + 2] - p[l + 2];
  const bdz = p[j + 2] - p[l + 2];
  const cdz = p[k + 2] - p[l + 2];
  const bdxcdy = bdx * cdy;
  const cdxbdy = cdx * bdy;
  const cdxady = cdx * ady;
  const adxcdy = adx * cdy;
  const adxbdy = adx * bdy;
  const bdxady = bdx * ady;
  const det = adz * (bdxcdy - cdxbdy) + bdz * (cdxady - adxcdy) + cdz * (adxbdy - bdxady);
  const errorBound =
    ORIENT3D_ERROR_BOUND *
    ((Math.abs(bdxcdy) + Math.abs(cdxbdy)) * Math.abs(adz) +
      (Math.abs(cdxady) + Math.abs(adxcdy)) * Math.abs(bdz) +
      (Math.abs(adxbdy) + Math.abs(bdxady)) * Math.abs(cdz));
  if (det > errorBound) return 1;
  if (-det > errorBound) return -1;
  return arePlainlyCoplanar(p, i, j, k, l) ? 0 : Math.sign(orient3dOf(p, i, j, k, l));
}

/**
 * Returns whether four points have a coordinate in common, or two of them are equal: planar regions are mostly
 * axis-aligned, and bodies that touch have vertices at the same position. `i`, `j`, `k` and `l` are offsets in `p`.
 */
function arePlainlyCoplanar(p: Float64Array, i: number, j: number, k: number, l: number): boolean {
  for (let axis = 0; axis < 3; axis++) {
    const value = p[i + axis];
    if (value === p[j + axis] && value === p[k + axis] && value === p[l + axis]) return true;
  }
  return (
    areEqual(p, i, l) ||
    areEqual(p, j, l) ||
    areEqual(p, k, l) ||
    areEqual(p, i, j) ||
    areEqual(p, j, k) ||
    areEqual(p, i, k)
  );
}

function areEqual(p: Float64Array, i: number, j: number): boolean {
  return p[i] === p[j] && p[i + 1] === p[j + 1] && p[i + 2] === p[j + 2];
}

/**
 * Computes six times the signed volume of the tetrahedron a, b, c, d. Its sign is exact and equals `orient3dSign`; its
 * magnitude is rounded.
 */
export function orient3dValue(p: Float64Array, a: number, b: number, c: number, d: number): number {
  return orient3dOf(p, a * 3, b * 3, c * 3, d * 3);
}

/** As `orient3dValue`, from offsets in `p`. */
function orient3dOf(p: Float64Array, i: number, j: number, k: number, l: number): number {
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
