// The only place that knows robust-predicates (J. R. Shewchuk, Adaptive precision floating-point arithmetic, 1997): exact signs from float64.
import { orient2d, orient3d } from 'robust-predicates';

/** On which side of the plane a, b, c the point d lies: +1, -1, or 0 exactly on it. All are vertex numbers into `p`. */
export function sideOfPlane(p: Float64Array, a: number, b: number, c: number, d: number): number {
  const i = a * 3;
  const j = b * 3;
  const k = c * 3;
  const l = d * 3;
  return Math.sign(
    orient3d(p[i], p[i + 1], p[i + 2], p[j], p[j + 1], p[j + 2], p[k], p[k + 1], p[k + 2], p[l], p[l + 1], p[l + 2]),
  );
}

/** Turn of a, b, c seen along the axis that is left out (0: x, 1: y, 2: z): +1, -1, or 0 exactly straight. */
export function turnAlong(axis: number, p: Float64Array, a: number, b: number, c: number): number {
  const u = axis === 0 ? 1 : 0;
  const v = axis === 2 ? 1 : 2;
  const i = a * 3;
  const j = b * 3;
  const k = c * 3;
  return Math.sign(orient2d(p[i + u], p[i + v], p[j + u], p[j + v], p[k + u], p[k + v]));
}

/** Whether three points lie exactly on one line (or coincide): straight seen along every axis. */
export function areCollinear(p: Float64Array, a: number, b: number, c: number): boolean {
  return turnAlong(0, p, a, b, c) === 0 && turnAlong(1, p, a, b, c) === 0 && turnAlong(2, p, a, b, c) === 0;
}
