import { orient3dSign } from '../geometry/predicates.js';
import {
  classifyCoplanarPairSharingEdge,
  classifyCoplanarPairSharingVertex,
  classifyCoplanarPairWithoutSharedVertex,
  type TrianglePairRelation,
} from './classify-coplanar-pair.js';

/**
 * Classifies how two triangles of a mesh intersect beyond the vertices and edges that they share. Exact, by orientation
 * predicates only (Shewchuk 1997). Two triangles are apart if one is strictly on one side of the plane of the other (T.
 * Möller: A Fast Triangle-Triangle Intersection Test, 1997). Otherwise, each edge is tested against the other triangle.
 *
 * Vertices are shared if their indices are equal. Triangles with distinct vertices at the same position touch and are
 * not `apart`. Neither triangle may be degenerate. Allocates nothing: a solid of a million triangles needs eight
 * million calls.
 *
 * @param p vertex → x, y, z
 * @param s triangle, likewise `t`
 */
export function classifyTrianglePair(
  p: Float64Array,
  triangles: Uint32Array,
  s: number,
  t: number,
): TrianglePairRelation {
  const a = triangles[s * 3];
  const b = triangles[s * 3 + 1];
  const c = triangles[s * 3 + 2];
  const d = triangles[t * 3];
  const e = triangles[t * 3 + 1];
  const f = triangles[t * 3 + 2];
  const isAShared = a === d || a === e || a === f;
  const isBShared = b === d || b === e || b === f;
  const isCShared = c === d || c === e || c === f;
  const sharedCount = (isAShared ? 1 : 0) + (isBShared ? 1 : 0) + (isCShared ? 1 : 0);
  if (sharedCount === 0) return classifyPairWithoutSharedVertex(p, a, b, c, d, e, f);
  if (sharedCount === 3) return 'overlapping';
  if (sharedCount === 2) {
    // An apex is the vertex opposite the shared edge.
    const otherApex = d !== a && d !== b && d !== c ? d : e !== a && e !== b && e !== c ? e : f;
    if (orient3dSign(p, a, b, c, otherApex) !== 0) return 'apart';
    const apex = !isAShared ? a : !isBShared ? b : c;
    return classifyCoplanarPairSharingEdge(p, apex, otherApex, isAShared ? a : b, isCShared ? c : b);
  }
  // Rotate both triangles so that the shared vertex comes first: x y z and x v w.
  const x = isAShared ? a : isBShared ? b : c;
  const y = isAShared ? b : isBShared ? c : a;
  const z = isAShared ? c : isBShared ? a : b;
  const v = d === x ? e : e === x ? f : d;
  const w = d === x ? f : e === x ? d : e;
  return classifyPairSharingVertex(p, x, y, z, v, w);
}

/**
 * Classifies the triangles x y z and x v w. If they are not coplanar, they intersect in a segment that starts at x. It
 * ends where the edge opposite x of one triangle meets the other triangle. Only these two edges are therefore tested.
 * If neither meets the other triangle, x is the only common point.
 */
function classifyPairSharingVertex(
  p: Float64Array,
  x: number,
  y: number,
  z: number,
  v: number,
  w: number,
): TrianglePairRelation {
  const sideV = orient3dSign(p, x, y, z, v);
  const sideW = orient3dSign(p, x, y, z, w);
  if (sideV * sideW > 0) return 'apart';
  if (sideV === 0 && sideW === 0) return classifyCoplanarPairSharingVertex(p, x, y, z, v, w);
  const sideY = orient3dSign(p, x, v, w, y);
  const sideZ = orient3dSign(p, x, v, w, z);
  if (sideY * sideZ > 0) return 'apart';
  const isIntersecting =
    intersectsTriangle(p, v, w, sideV, sideW, x, y, z) || intersectsTriangle(p, y, z, sideY, sideZ, x, v, w);
  return isIntersecting ? 'crossing' : 'apart';
}

/** Classifies the triangles a b c and d e f, which share no vertex. */
function classifyPairWithoutSharedVertex(
  p: Float64Array,
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  f: number,
): TrianglePairRelation {
  const sideD = orient3dSign(p, a, b, c, d);
  const sideE = orient3dSign(p, a, b, c, e);
  const sideF = orient3dSign(p, a, b, c, f);
  if (sideD === sideE && sideD === sideF) {
    return sideD === 0 ? classifyCoplanarPairWithoutSharedVertex(p, a, b, c, d, e, f) : 'apart';
  }
  const sideA = orient3dSign(p, d, e, f, a);
  const sideB = orient3dSign(p, d, e, f, b);
  const sideC = orient3dSign(p, d, e, f, c);
  if (sideA === sideB && sideA === sideC) return 'apart'; // never 0: coplanar pairs are classified above
  const isIntersecting =
    intersectsTriangle(p, d, e, sideD, sideE, a, b, c) ||
    intersectsTriangle(p, e, f, sideE, sideF, a, b, c) ||
    intersectsTriangle(p, f, d, sideF, sideD, a, b, c) ||
    intersectsTriangle(p, a, b, sideA, sideB, d, e, f) ||
    intersectsTriangle(p, b, c, sideB, sideC, d, e, f) ||
    intersectsTriangle(p, c, a, sideC, sideA, d, e, f);
  return isIntersecting ? 'crossing' : 'apart';
}

/**
 * Returns whether the edge g h intersects the triangle a b c. An edge that reaches the plane of the triangle intersects
 * the triangle if its line passes all sides of the triangle in the same direction (R. J. Segura, F. R. Feito:
 * Algorithms to Test Ray-Triangle Intersection, 2001). Returns false for an edge in the plane of the triangle: the
 * edges that share its ends find the intersection.
 *
 * @param sideG side of the plane a b c on which g lies, as `orient3dSign` returns it, likewise `sideH`
 */
function intersectsTriangle(
  p: Float64Array,
  g: number,
  h: number,
  sideG: number,
  sideH: number,
  a: number,
  b: number,
  c: number,
): boolean {
  if (sideG === sideH) return false;
  const ab = orient3dSign(p, g, h, a, b);
  const bc = orient3dSign(p, g, h, b, c);
  if (ab * bc < 0) return false;
  const ca = orient3dSign(p, g, h, c, a);
  return ab * ca >= 0 && bc * ca >= 0;
}
