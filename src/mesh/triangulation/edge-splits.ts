import { orient2dSignAlong } from '../geometry/predicates.js';

/** The search compares all pairs of edges. With more edges than this, it returns no splits. */
const MAX_EDGES = 5000;

/** An edge and the points to split it at, in order from `from` to `to`. */
export interface EdgeSplit {
  from: number;
  to: number;
  points: readonly number[];
}

/**
 * Finds the points at which coplanar edges intersect each other in their interior, projected along an axis: vertices
 * exactly on another edge, and crossings. A crossing becomes a new vertex. Quadratic in the number of edges.
 *
 * @param newPositions receives x, y, z of the new vertices, which are numbered from the end of `positions`
 */
export function findEdgeSplits(
  positions: Float64Array,
  edges: readonly { from: number; to: number }[],
  axis: number,
  newPositions: number[],
): EdgeSplit[] {
  if (edges.length > MAX_EDGES) return [];
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const coordinate = (vertex: number, k: number) =>
    positions[vertex * 3 + k] ?? newPositions[vertex * 3 + k - positions.length];
  const orientation = (a: number, b: number, c: number) => orient2dSignAlong(axis, positions, a, b, c);
  const pointsOf = edges.map(() => new Set<number>());
  const recordVertexOnEdge = (edge: number, vertex: number) => {
    const { from, to } = edges[edge];
    if (vertex === from || vertex === to || orientation(from, to, vertex) !== 0) return;
    const k =
      Math.abs(coordinate(to, u) - coordinate(from, u)) > Math.abs(coordinate(to, v) - coordinate(from, v)) ? u : v;
    if ((coordinate(vertex, k) - coordinate(from, k)) * (coordinate(vertex, k) - coordinate(to, k)) < 0)
      pointsOf[edge].add(vertex);
  };
  const boxesOverlap = (i: number, j: number) =>
    [u, v].every((k) => {
      const [a, b, c, d] = [edges[i].from, edges[i].to, edges[j].from, edges[j].to].map((vertex) =>
        coordinate(vertex, k),
      );
      return Math.min(a, b) <= Math.max(c, d) && Math.min(c, d) <= Math.max(a, b);
    });
  for (let i = 0; i < edges.length; i++) {
    for (let j = i + 1; j < edges.length; j++) {
      if (!boxesOverlap(i, j)) continue;
      const [{ from: a, to: b }, { from: c, to: d }] = [edges[i], edges[j]];
      for (const vertex of [c, d]) recordVertexOnEdge(i, vertex);
      for (const vertex of [a, b]) recordVertexOnEdge(j, vertex);
      if (orientation(a, b, c) * orientation(a, b, d) >= 0 || orientation(c, d, a) * orientation(c, d, b) >= 0)
        continue;
      const crossing = (positions.length + newPositions.length) / 3;
      newPositions.push(...intersectLines(coordinate, a, b, c, d, u, v));
      pointsOf[i].add(crossing);
      pointsOf[j].add(crossing);
    }
  }
  return edges.flatMap(({ from, to }, edge) => {
    const distanceFromStart = (point: number) =>
      [0, 1, 2].reduce((sum, k) => sum + Math.abs(coordinate(point, k) - coordinate(from, k)), 0);
    const points = [...pointsOf[edge]].sort((p, q) => distanceFromStart(p) - distanceFromStart(q) || p - q);
    return points.length > 0 ? [{ from, to, points }] : [];
  });
}

/** Computes the point of the line a b on the line c d, by their coordinates `u` and `v`. */
function intersectLines(
  coordinate: (vertex: number, k: number) => number,
  a: number,
  b: number,
  c: number,
  d: number,
  u: number,
  v: number,
): number[] {
  const [x, y] = [coordinate(d, u) - coordinate(c, u), coordinate(d, v) - coordinate(c, v)];
  const signedArea = (vertex: number) =>
    (coordinate(vertex, u) - coordinate(c, u)) * y - (coordinate(vertex, v) - coordinate(c, v)) * x;
  const t = signedArea(a) / (signedArea(a) - signedArea(b));
  return [0, 1, 2].map((k) => coordinate(a, k) + t * (coordinate(b, k) - coordinate(a, k)));
}
