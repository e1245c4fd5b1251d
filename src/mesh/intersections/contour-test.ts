import { orient2dSignIn } from '../geometry/predicates.js';
import { nextOf } from '../topology/half-edge.js';

/**
 * Limit of the pairs of edges to test, per edge of the contour. A contour that exceeds it is rejected: its edges
 * overlap too often for the test to be worthwhile.
 */
const MAX_PAIRS_PER_EDGE = 200;

/** A projected edge of the contour. Ends are vertex indices, coordinates are in mm. */
interface ContourEdge {
  /** The left end, or the lower end of a vertical edge. */
  left: number;
  /** The other end. */
  right: number;
  /** Whether the half-edge points from `left` to `right`. The patch is then above it, else below. */
  isForward: boolean;
  leftU: number;
  leftV: number;
  rightU: number;
  minV: number;
  maxV: number;
  /** Winding number of the contour just below the left end. Counterclockwise is positive. */
  windingBelow: number;
}

/**
 * Returns whether the projection of a patch along an axis is injective. The patch then cannot intersect itself (contour
 * test; P. Volino, N. Magnenat-Thalmann: Efficient Self-Collision Detection on Smoothly Discretized Surface Animations
 * Using Geometrical Shape Regularity, 1994). All triangles of the patch must be counterclockwise in the projection.
 * Exact, except that it returns false if the test would take too long.
 *
 * The number of triangles over a point of the projection equals the winding number of the contour around the point. The
 * projection is injective under two conditions: the edges of the contour meet only at shared vertices, and the winding
 * number is 1 on the side of each edge where the patch is, and 0 on the other. Both are tested by a sweep along `u`.
 *
 * @param p vertex → x, y, z
 * @param contour half-edges of the patch whose twins are not in the patch
 * @param u axis (0, 1 or 2) that points to the right in the projection
 * @param v axis that points up
 */
export function hasInjectiveProjection(
  p: Float64Array,
  triangles: Uint32Array,
  contour: Uint32Array,
  u: number,
  v: number,
): boolean {
  const edges = Array.from(contour, (h) => toContourEdge(p, triangles[h], triangles[nextOf(h)], u, v));
  edges.sort((a, b) => a.leftU - b.leftU);
  const active: ContourEdge[] = [];
  let pairBudget = edges.length * MAX_PAIRS_PER_EDGE;
  for (const edge of edges) {
    let activeCount = 0;
    for (let i = 0; i < active.length; i++) {
      const other = active[i];
      if (other.rightU < edge.leftU) continue; // ends left of all remaining edges
      active[activeCount++] = other;
      if (--pairBudget < 0 || areIntersecting(p, edge, other, u, v)) return false;
      if (isBelow(p, other, edge, u, v)) edge.windingBelow += other.isForward ? 1 : -1;
      if (other.leftU === edge.leftU && isBelow(p, edge, other, u, v)) other.windingBelow += edge.isForward ? 1 : -1;
    }
    active.length = activeCount;
    active.push(edge);
  }
  // The winding numbers at a vertical edge follow from those at the edges that share its ends.
  return edges.every(
    ({ leftU, rightU, windingBelow, isForward }) => leftU === rightU || windingBelow === (isForward ? 0 : 1),
  );
}

/** Projects the half-edge between two vertices. */
function toContourEdge(p: Float64Array, from: number, to: number, u: number, v: number): ContourEdge {
  const [fromU, fromV, toU, toV] = [p[from * 3 + u], p[from * 3 + v], p[to * 3 + u], p[to * 3 + v]];
  const isForward = fromU < toU || (fromU === toU && fromV < toV);
  return {
    left: isForward ? from : to,
    right: isForward ? to : from,
    isForward,
    leftU: isForward ? fromU : toU,
    leftV: isForward ? fromV : toV,
    rightU: isForward ? toU : fromU,
    minV: Math.min(fromV, toV),
    maxV: Math.max(fromV, toV),
    windingBelow: 0,
  };
}

/** Returns whether two edges with overlapping ranges of `u` intersect elsewhere than at a shared vertex. */
function areIntersecting(p: Float64Array, a: ContourEdge, b: ContourEdge, u: number, v: number): boolean {
  if (a.minV > b.maxV || b.minV > a.maxV) return false;
  if (a.left === b.left) return orient2dSignIn(p, u, v, a.left, a.right, b.right) === 0;
  if (a.right === b.right) return orient2dSignIn(p, u, v, a.right, a.left, b.left) === 0;
  if (a.left === b.right || a.right === b.left) return false;
  const isSeparated =
    orient2dSignIn(p, u, v, a.left, a.right, b.left) * orient2dSignIn(p, u, v, a.left, a.right, b.right) > 0 ||
    orient2dSignIn(p, u, v, b.left, b.right, a.left) * orient2dSignIn(p, u, v, b.left, b.right, a.right) > 0;
  return !isSeparated;
}

/** Returns whether `edge` passes below the left end of `other`, or starts at that end and runs below `other`. */
function isBelow(p: Float64Array, edge: ContourEdge, other: ContourEdge, u: number, v: number): boolean {
  if (other.leftU >= edge.rightU || edge.minV > other.maxV) return false;
  if (edge.maxV < other.leftV) return true;
  const vertex = edge.left === other.left ? other.right : other.left;
  return orient2dSignIn(p, u, v, edge.left, edge.right, vertex) > 0;
}
