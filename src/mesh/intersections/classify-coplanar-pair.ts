import { orient2dSignAlong } from '../geometry/predicates.js';

/**
 * How two triangles intersect beyond the vertices and edges that they share. `apart`: not at all. `crossing`: in at
 * least one point. `overlapping`: they are coplanar and share area.
 */
export type TrianglePairRelation = 'apart' | 'crossing' | 'overlapping';

// Exact tests of coplanar triangles (Shewchuk 1997). Corners are vertex indices. Planar regions have about twelve such
// pairs per triangle: nothing is allocated.

/** Finds an axis along which the projection of the triangle has a nonzero area. */
function projectionAxisFor(p: Float64Array, a: number, b: number, c: number): number {
  if (orient2dSignAlong(0, p, a, b, c) !== 0) return 0;
  return orient2dSignAlong(1, p, a, b, c) !== 0 ? 1 : 2;
}

/**
 * Classifies the coplanar triangles a x y and b y x, which share the edge x y: apart if they are on different sides of
 * it.
 */
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
 * Classifies the coplanar triangles x a b and x c d, which share the vertex x: each occupies a sector at x between two
 * rays, and the triangles intersect beyond x where the sectors do.
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
  // Orient both sectors counterclockwise, from y to z and from v to w.
  const isClockwise = orient2dSignAlong(axis, p, x, a, b) < 0;
  const isOtherClockwise = orient2dSignAlong(axis, p, x, c, d) < 0;
  const y = isClockwise ? b : a;
  const z = isClockwise ? a : b;
  const v = isOtherClockwise ? d : c;
  const w = isOtherClockwise ? c : d;
  // Side of the rays y and z on which v and w lie: 1 left, -1 right, 0 on the line.
  const vy = orient2dSignAlong(axis, p, x, y, v);
  const vz = orient2dSignAlong(axis, p, x, z, v);
  const wy = orient2dSignAlong(axis, p, x, y, w);
  const wz = orient2dSignAlong(axis, p, x, z, w);
  const isStartInside = (vy >= 0 && vz < 0) || (vy < 0 && wy > 0); // v in [y, z), or y in (v, w)
  const isEndInside = (wz <= 0 && wy > 0) || (wz > 0 && vz < 0); // w in (y, z], or z in (v, w)
  if (isStartInside || isEndInside) return 'overlapping';
  if (vz === 0 && vy > 0) return 'crossing';
  return wy === 0 && wz < 0 ? 'crossing' : 'apart';
}

/**
 * Classifies the coplanar triangles a b c and d e f, which share no vertex. Disjoint convex polygons are separated by a
 * line along one of their edges (separating axis theorem).
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
  const separation = separationByEdges(axis, p, a, b, c, d, e, f);
  if (separation > 0) return 'apart';
  const otherSeparation = separationByEdges(axis, p, d, e, f, a, b, c);
  if (otherSeparation > 0) return 'apart';
  return separation < 0 && otherSeparation < 0 ? 'overlapping' : 'crossing';
}

/**
 * Returns 1 if an edge of a b c has d e f strictly outside, 0 if an edge has it outside or on its line, else -1.
 */
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

/** As `separationByEdges`, for one edge of a triangle with orientation `winding`. */
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
