import { orient2dSignAlong } from '../geometry/predicates.js';

/** How two triangles meet beyond what they share. `crossing`: in some point; `overlapping`: they lie in one plane and share area. */
export type TrianglePairRelation = 'apart' | 'crossing' | 'overlapping';

// Exact tests of two triangles in one plane. Corners are vertex numbers. Flat parts of a model have twelve such pairs a triangle: nothing is
// allocated.

/** An axis along which the triangle keeps an area: seen along it, everything in the triangle's plane does. */
function projectionAxisFor(p: Float64Array, a: number, b: number, c: number): number {
  if (orient2dSignAlong(0, p, a, b, c) !== 0) return 0;
  return orient2dSignAlong(1, p, a, b, c) !== 0 ? 1 : 2;
}

/** Triangles a x y and b y x: apart where they lie on different sides of the edge x y, which they share. */
export function classifyCoplanarPairSharingEdge(
  p: Float64Array,
  a: number,
  b: number,
  x: number,
  y: number,
): TrianglePairRelation {
  const axis = projectionAxisFor(p, a, x, y);
  return orient2dSignAlong(axis, p, x, y, a) === orient2dSignAlong(axis, p, x, y, b) ? 'overlapping' : 'apart';
}

/**
 * Triangles x a b and x c d, which share the vertex x: each fills the corner at x between two rays, and beyond x they meet where the corners do.
 */
export function classifyCoplanarPairSharingVertex(
  p: Float64Array,
  x: number,
  a: number,
  b: number,
  c: number,
  d: number,
): TrianglePairRelation {
  const axis = projectionAxisFor(p, x, a, b);
  // Counter-clockwise both, from y to z and from v to w.
  const isTurned = orient2dSignAlong(axis, p, x, a, b) < 0;
  const isOtherTurned = orient2dSignAlong(axis, p, x, c, d) < 0;
  const y = isTurned ? b : a;
  const z = isTurned ? a : b;
  const v = isOtherTurned ? d : c;
  const w = isOtherTurned ? c : d;
  // On which hand of y and of z the rays v and w lie: 1 left, -1 right, 0 on the line.
  const vy = orient2dSignAlong(axis, p, x, y, v);
  const vz = orient2dSignAlong(axis, p, x, z, v);
  const wy = orient2dSignAlong(axis, p, x, y, w);
  const wz = orient2dSignAlong(axis, p, x, z, w);
  const isBeginWithin = (vy >= 0 && vz < 0) || (vy < 0 && wy > 0); // v from y on before z, or y strictly between v and w
  const isEndWithin = (wz <= 0 && wy > 0) || (wz > 0 && vz < 0); // w after y up to z, or z strictly between v and w
  if (isBeginWithin || isEndWithin) return 'overlapping';
  if (vz === 0 && vy > 0) return 'crossing';
  return wy === 0 && wz < 0 ? 'crossing' : 'apart';
}

/**
 * Triangles a b c and d e f, which share nothing. Convex shapes are parted by a line along one of their edges, or not at all (separating
 * axis theorem).
 */
export function classifyCoplanarPairWithoutSharedVertex(
  p: Float64Array,
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  f: number,
): TrianglePairRelation {
  const axis = projectionAxisFor(p, a, b, c);
  const gap = separationByEdges(axis, p, a, b, c, d, e, f);
  if (gap > 0) return 'apart';
  const otherGap = separationByEdges(axis, p, d, e, f, a, b, c);
  if (otherGap > 0) return 'apart';
  return gap < 0 && otherGap < 0 ? 'overlapping' : 'crossing';
}

/** 1: an edge of a b c has all of d e f strictly outside; 0: one has all of it outside or on its line; -1: neither. */
function separationByEdges(
  axis: number,
  p: Float64Array,
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  f: number,
): number {
  const winding = orient2dSignAlong(axis, p, a, b, c);
  const first = separationByEdge(axis, p, winding, a, b, d, e, f);
  if (first > 0) return 1;
  const second = separationByEdge(axis, p, winding, b, c, d, e, f);
  if (second > 0) return 1;
  return Math.max(first, second, separationByEdge(axis, p, winding, c, a, d, e, f));
}

function separationByEdge(
  axis: number,
  p: Float64Array,
  winding: number,
  from: number,
  to: number,
  d: number,
  e: number,
  f: number,
): number {
  const first = -winding * orient2dSignAlong(axis, p, from, to, d);
  if (first < 0) return -1;
  const second = -winding * orient2dSignAlong(axis, p, from, to, e);
  if (second < 0) return -1;
  return Math.min(first, second, -winding * orient2dSignAlong(axis, p, from, to, f));
}
