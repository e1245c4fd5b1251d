import { orient3dSign, orient3dValue } from '../geometry/predicates.js';

/** Where an edge goes through a triangle. */
export interface EdgeTriangleIntersection {
  /** How far along the edge, from its lower vertex: 0..1. */
  parameter: number;
  /** Place in the triangle: first corner + u * (second - first) + v * (third - first). */
  u: number;
  v: number;
}

/**
 * Where the edge `low` `high` goes through the inside of the triangle a b c. Whether it does is decided exactly.
 * `touching`: it meets the triangle, but only just: an end in its plane, or a point of its border.
 */
export function intersectEdgeTriangle(
  p: Float64Array,
  low: number,
  high: number,
  a: number,
  b: number,
  c: number,
): EdgeTriangleIntersection | 'apart' | 'touching' {
  const sideLow = orient3dSign(p, a, b, c, low);
  const sideHigh = orient3dSign(p, a, b, c, high);
  // An edge in the plane is left to the other edges, which end where it does.
  if (sideLow === sideHigh) return 'apart';
  const ab = orient3dValue(p, low, high, a, b);
  const bc = orient3dValue(p, low, high, b, c);
  if (ab * bc < 0) return 'apart';
  const ca = orient3dValue(p, low, high, c, a);
  if (ab * ca < 0 || bc * ca < 0) return 'apart';
  if (ab === 0 || bc === 0 || ca === 0 || sideLow === 0 || sideHigh === 0) return 'touching';
  const below = Math.abs(orient3dValue(p, a, b, c, low));
  const above = Math.abs(orient3dValue(p, a, b, c, high));
  const sum = ab + bc + ca;
  return { parameter: below / (below + above), u: ca / sum, v: ab / sum };
}
