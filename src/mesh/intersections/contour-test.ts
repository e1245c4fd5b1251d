import { orient2dSignIn } from '../geometry/predicates.js';
import { nextOf } from '../topology/half-edge.js';

/** So many pairs of edges are looked at for each of them at most: a border that needs more is a tangle, and not worth it. */
const MAX_PAIRS_PER_EDGE = 200;

/** An edge of the border as it is seen. */
interface ContourEdge {
  /** The vertex farther to the left, or the lower of two above each other. */
  left: number;
  right: number;
  /** Whether the border walks it from left to right: then the patch is above it. */
  isForward: boolean;
  leftU: number;
  leftV: number;
  rightU: number;
  minV: number;
  maxV: number;
  /** How often the border goes round what is right below the left end, counter-clockwise. */
  windingBelow: number;
}

/**
 * Whether the triangles of a patch lie side by side as on paper, seen along an axis from where each of them turns counter-clockwise; `u` and `v`:
 * which parts of a position (0, 1, 2) are seen to the right and up. Exact. `border`: the half-edges of the patch whose twins are not in it.
 *
 * Over a point lie as many triangles as the border goes round it. So the edges of the border may meet at common vertices only, and it has to go
 * round once what is to the left of each edge, and not at all round what is to its right (a sweep from left to right).
 */
export function hasInjectiveProjection(
  p: Float64Array,
  triangles: Uint32Array,
  border: Uint32Array,
  u: number,
  v: number,
): boolean {
  const edges = Array.from(border, (h) => toContourEdge(p, triangles[h], triangles[nextOf(h)], u, v));
  edges.sort((a, b) => a.leftU - b.leftU);
  const active: ContourEdge[] = [];
  let pairsLeft = edges.length * MAX_PAIRS_PER_EDGE;
  for (const edge of edges) {
    let kept = 0;
    for (let i = 0; i < active.length; i++) {
      const other = active[i];
      if (other.rightU < edge.leftU) continue; // and so it ends before all that follow
      active[kept++] = other;
      if (--pairsLeft < 0 || edgesIntersect(p, edge, other, u, v)) return false;
      if (isBelow(p, other, edge, u, v)) edge.windingBelow += other.isForward ? 1 : -1;
      if (other.leftU === edge.leftU && isBelow(p, edge, other, u, v)) other.windingBelow += edge.isForward ? 1 : -1;
    }
    active.length = kept;
    active.push(edge);
  }
  // An upright edge has on each side what another edge has too.
  return edges.every(
    ({ leftU, rightU, windingBelow, isForward }) => leftU === rightU || windingBelow === (isForward ? 0 : 1),
  );
}

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

/** Whether two edges, which are above each other somewhere, meet other than in a vertex of both. */
function edgesIntersect(p: Float64Array, a: ContourEdge, b: ContourEdge, u: number, v: number): boolean {
  if (a.minV > b.maxV || b.minV > a.maxV) return false;
  if (a.left === b.left) return orient2dSignIn(p, u, v, a.left, a.right, b.right) === 0;
  if (a.right === b.right) return orient2dSignIn(p, u, v, a.right, a.left, b.left) === 0;
  if (a.left === b.right || a.right === b.left) return false;
  const isApart =
    orient2dSignIn(p, u, v, a.left, a.right, b.left) * orient2dSignIn(p, u, v, a.left, a.right, b.right) > 0 ||
    orient2dSignIn(p, u, v, b.left, b.right, a.left) * orient2dSignIn(p, u, v, b.left, b.right, a.right) > 0;
  return !isApart;
}

/** Whether an edge runs below the left end of another, which it does not touch, or from that end below the other edge. */
function isBelow(p: Float64Array, edge: ContourEdge, other: ContourEdge, u: number, v: number): boolean {
  if (other.leftU >= edge.rightU || edge.minV > other.maxV) return false;
  if (edge.maxV < other.leftV) return true;
  const point = edge.left === other.left ? other.right : other.left;
  return orient2dSignIn(p, u, v, edge.left, edge.right, point) > 0;
}
