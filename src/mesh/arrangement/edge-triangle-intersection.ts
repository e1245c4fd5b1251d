import { orient3dValue } from '../geometry/predicates.js';

/** The point where an edge crosses a triangle. */
export interface EdgeTriangleIntersection {
  /** Parameter along the edge, from its lower vertex: 0..1. */
  parameter: number;
  /** Barycentric weight of the second corner of the triangle. */
  u: number;
  /** Barycentric weight of the third corner. */
  v: number;
}

/**
 * Intersects the edge `low` `high` with the triangle a b c. The decision is exact (Shewchuk 1997), the point is
 * rounded.
 *
 * @param p positions
 * @returns the point in the interior of both; `touching` if the edge meets the boundary of the triangle or has an end
 * in the triangle
 */
export function intersectEdgeTriangle(
  p: Float64Array,
  low: number,
  high: number,
  a: number,
  b: number,
  c: number,
): EdgeTriangleIntersection | 'apart' | 'touching' {
  const ab = orient3dValue(p, low, high, a, b);
  const bc = orient3dValue(p, low, high, b, c);
  if (ab * bc < 0) return 'apart';
  const ca = orient3dValue(p, low, high, c, a);
  if (ab * ca < 0 || bc * ca < 0) return 'apart';
  const sideOfLow = orient3dValue(p, a, b, c, low);
  const sideOfHigh = orient3dValue(p, a, b, c, high);
  // The edges that share the ends of a coplanar edge find the intersection.
  if (Math.sign(sideOfLow) === Math.sign(sideOfHigh)) return 'apart';
  if (ab === 0 || bc === 0 || ca === 0 || sideOfLow === 0 || sideOfHigh === 0) return 'touching';
  const lowDistance = Math.abs(sideOfLow);
  const highDistance = Math.abs(sideOfHigh);
  const sum = ab + bc + ca;
  return { parameter: lowDistance / (lowDistance + highDistance), u: ca / sum, v: ab / sum };
}
