import { orient2dSignAlong } from '../geometry/predicates.js';

/** Each edge of a border is held against each: more of them are left. */
const MAX_EDGES = 5000;

/** An edge, and the points on it at which it must be divided, in order. */
export interface EdgeSplit {
  from: number;
  to: number;
  points: readonly number[];
}

/**
 * Where edges in a plane, seen along an axis, meet others within themselves: at a vertex of the others, exactly on the line, or where they cross. A
 * crossing becomes a new vertex.
 *
 * @param places coordinates of new vertices, numbered from the end of `positions` on; grows
 */
export function findEdgeSplits(
  positions: Float64Array,
  edges: readonly { from: number; to: number }[],
  axis: number,
  newPositions: number[],
): EdgeSplit[] {
  if (edges.length > MAX_EDGES) return [];
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const at = (vertex: number, k: number) =>
    positions[vertex * 3 + k] ?? newPositions[vertex * 3 + k - positions.length];
  const turn = (a: number, b: number, c: number) => orient2dSignAlong(axis, positions, a, b, c);
  const pointsOf = edges.map(() => new Set<number>());
  const recordVertexOnEdge = (edge: number, vertex: number) => {
    const { from, to } = edges[edge];
    if (vertex === from || vertex === to || turn(from, to, vertex) !== 0) return;
    const k = Math.abs(at(to, u) - at(from, u)) > Math.abs(at(to, v) - at(from, v)) ? u : v;
    if ((at(vertex, k) - at(from, k)) * (at(vertex, k) - at(to, k)) < 0) pointsOf[edge].add(vertex);
  };
  const boxesOverlap = (i: number, j: number) =>
    [u, v].every((k) => {
      const [a, b, c, d] = [edges[i].from, edges[i].to, edges[j].from, edges[j].to].map((vertex) => at(vertex, k));
      return Math.min(a, b) <= Math.max(c, d) && Math.min(c, d) <= Math.max(a, b);
    });
  for (let i = 0; i < edges.length; i++) {
    for (let j = i + 1; j < edges.length; j++) {
      if (!boxesOverlap(i, j)) continue;
      const [{ from: a, to: b }, { from: c, to: d }] = [edges[i], edges[j]];
      for (const vertex of [c, d]) recordVertexOnEdge(i, vertex);
      for (const vertex of [a, b]) recordVertexOnEdge(j, vertex);
      if (turn(a, b, c) * turn(a, b, d) >= 0 || turn(c, d, a) * turn(c, d, b) >= 0) continue;
      const crossing = (positions.length + newPositions.length) / 3;
      newPositions.push(...intersectLines(at, a, b, c, d, u, v));
      pointsOf[i].add(crossing);
      pointsOf[j].add(crossing);
    }
  }
  return edges.flatMap(({ from, to }, edge) => {
    const distanceFromStart = (point: number) =>
      [0, 1, 2].reduce((sum, k) => sum + Math.abs(at(point, k) - at(from, k)), 0);
    const points = [...pointsOf[edge]].sort((s, t) => distanceFromStart(s) - distanceFromStart(t) || s - t);
    return points.length > 0 ? [{ from, to, points }] : [];
  });
}

/** The point of a b that lies on the line of c d. */
function intersectLines(
  at: (vertex: number, k: number) => number,
  a: number,
  b: number,
  c: number,
  d: number,
  u: number,
  v: number,
): number[] {
  const [x, y] = [at(d, u) - at(c, u), at(d, v) - at(c, v)];
  const beside = (vertex: number) => (at(vertex, u) - at(c, u)) * y - (at(vertex, v) - at(c, v)) * x;
  const t = beside(a) / (beside(a) - beside(b));
  return [0, 1, 2].map((k) => at(a, k) + t * (at(b, k) - at(a, k)));
}
