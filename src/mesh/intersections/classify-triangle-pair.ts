import { orient3dSign } from '../geometry/predicates.js';
import {
  classifyCoplanarPairSharingEdge,
  classifyCoplanarPairSharingVertex,
  classifyCoplanarPairWithoutSharedVertex,
  type TrianglePairRelation,
} from './classify-coplanar-pair.js';

/**
 * Classifies how the triangles `s` and `t` of a mesh intersect beyond the vertices that they share. Exact (Shewchuk
 * 1997).
 *
 * Triangles that touch only at a shared vertex or edge are apart. Vertices are shared by index: distinct vertices at
 * the same position touch. Neither triangle may be degenerate. Allocates nothing: a clean mesh of a million triangles
 * needs eight million calls.
 *
 * @param p positions
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
  // Whether a, b and c are shared.
  const isA = a === d || a === e || a === f;
  const isB = b === d || b === e || b === f;
  const isC = c === d || c === e || c === f;
  const sharedCount = (isA ? 1 : 0) + (isB ? 1 : 0) + (isC ? 1 : 0);
  if (sharedCount === 0) return classifyPairWithoutSharedVertex(p, a, b, c, d, e, f);
  if (sharedCount === 3) return 'overlapping';
  if (sharedCount === 2) {
    const otherApex = d !== a && d !== b && d !== c ? d : e !== a && e !== b && e !== c ? e : f;
    if (orient3dSign(p, a, b, c, otherApex) !== 0) return 'apart';
    const apex = !isA ? a : !isB ? b : c;
    return classifyCoplanarPairSharingEdge(p, apex, otherApex, isA ? a : b, isC ? c : b);
  }
  // Rotate both so that the shared vertex comes first.
  const x = isA ? a : isB ? b : c;
  const y = isA ? b : isB ? c : a;
  const z = isA ? c : isB ? a : b;
  const v = d === x ? e : e === x ? f : d;
  const w = d === x ? f : e === x ? d : e;
  return classifyPairSharingVertex(p, x, y, z, v, w);
}

/**
 * Classifies the triangles x y z and x v w. The intersection of two triangles that are not coplanar is a segment. Each
 * of its ends is on an edge of one triangle and in the other. If one end is the shared vertex, the other end is on an
 * opposite edge.
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
  const intersects =
    edgeIntersectsTriangle(p, v, w, sideV, sideW, x, y, z) || edgeIntersectsTriangle(p, y, z, sideY, sideZ, x, v, w);
  return intersects ? 'crossing' : 'apart';
}

/** Classifies the triangles a b c and d e f, by the planes and then by each edge against the other triangle. */
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
  if (sideA === sideB && sideA === sideC) return 'apart'; // not 0: coplanar triangles were handled above
  const intersects =
    edgeIntersectsTriangle(p, d, e, sideD, sideE, a, b, c) ||
    edgeIntersectsTriangle(p, e, f, sideE, sideF, a, b, c) ||
    edgeIntersectsTriangle(p, f, d, sideF, sideD, a, b, c) ||
    edgeIntersectsTriangle(p, a, b, sideA, sideB, d, e, f) ||
    edgeIntersectsTriangle(p, b, c, sideB, sideC, d, e, f) ||
    edgeIntersectsTriangle(p, c, a, sideC, sideA, d, e, f);
  return intersects ? 'crossing' : 'apart';
}

/**
 * Returns whether the edge g h intersects the triangle a b c. Returns false for an edge in the plane of the triangle:
 * the edges that share its ends find the intersection.
 *
 * @param sideG side of the plane a b c on which g lies, likewise `sideH`
 */
function edgeIntersectsTriangle(
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
