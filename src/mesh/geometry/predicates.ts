// The only place that knows robust-predicates (J. R. Shewchuk, Adaptive precision floating-point arithmetic, 1997): exact signs from float64.
import { incircle, orient2d, orient3d } from 'robust-predicates';

/** On which side of the plane a, b, c the point d lies: +1, -1, or 0 exactly on it. All are vertex numbers into `p`. */
export function orient3dSign(p: Float64Array, a: number, b: number, c: number, d: number): number {
  const i = a * 3;
  const j = b * 3;
  const k = c * 3;
  const l = d * 3;
  // Flat parts of models mostly lie across an axis; to find that out by arithmetic takes the longest of all.
  if (p[i] === p[j] && p[i] === p[k] && p[i] === p[l]) return 0;
  if (p[i + 1] === p[j + 1] && p[i + 1] === p[k + 1] && p[i + 1] === p[l + 1]) return 0;
  if (p[i + 2] === p[j + 2] && p[i + 2] === p[k + 2] && p[i + 2] === p[l + 2]) return 0;
  return Math.sign(
    orient3d(p[i], p[i + 1], p[i + 2], p[j], p[j + 1], p[j + 2], p[k], p[k + 1], p[k + 2], p[l], p[l + 1], p[l + 2]),
  );
}

/** Six times the volume of the tetrahedron a, b, c, d: its sign is exact and that of `orient3dSign`, its size as good as rounding lets it be. */
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

/** Turn of three points in a plane (x and y of each in `xy`): +1 counter-clockwise, -1 clockwise, 0 exactly straight. */
export function orient2dSign(xy: readonly number[], a: number, b: number, c: number): number {
  // robust-predicates counts with y pointing down.
  return -Math.sign(orient2d(xy[a * 2], xy[a * 2 + 1], xy[b * 2], xy[b * 2 + 1], xy[c * 2], xy[c * 2 + 1]));
}

/** Whether d lies within the circle through a, b, c, which turn counter-clockwise; all in a plane as above. */
export function isInCircle(xy: readonly number[], a: number, b: number, c: number, d: number): boolean {
  return (
    incircle(xy[a * 2], xy[a * 2 + 1], xy[b * 2], xy[b * 2 + 1], xy[c * 2], xy[c * 2 + 1], xy[d * 2], xy[d * 2 + 1]) > 0
  );
}

/** Turn of a, b, c seen along the axis that is left out (0: x, 1: y, 2: z): +1, -1, or 0 exactly straight. */
export function orient2dSignAlong(axis: number, p: Float64Array, a: number, b: number, c: number): number {
  const u = axis === 0 ? 1 : 0;
  const v = axis === 2 ? 1 : 2;
  const i = a * 3;
  const j = b * 3;
  const k = c * 3;
  return Math.sign(orient2d(p[i + u], p[i + v], p[j + u], p[j + v], p[k + u], p[k + v]));
}

/** Turn of a, b, c where the parts `u` and `v` of a position (0, 1, 2) are seen to the right and up: +1 counter-clockwise, -1, or 0 exactly straight. */
export function orient2dSignIn(p: Float64Array, u: number, v: number, a: number, b: number, c: number): number {
  const i = a * 3;
  const j = b * 3;
  const k = c * 3;
  // robust-predicates counts with y pointing down.
  return -Math.sign(orient2d(p[i + u], p[i + v], p[j + u], p[j + v], p[k + u], p[k + v]));
}

/** Whether three points lie exactly on one line (or coincide): straight seen along every axis. */
export function areCollinear(p: Float64Array, a: number, b: number, c: number): boolean {
  return (
    orient2dSignAlong(0, p, a, b, c) === 0 &&
    orient2dSignAlong(1, p, a, b, c) === 0 &&
    orient2dSignAlong(2, p, a, b, c) === 0
  );
}
