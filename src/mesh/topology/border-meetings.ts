import { orient2dSignAlong } from '../spatial/predicates.js';

/** Each edge of a border is held against each: more of them are left. */
const MOST_EDGES = 5000;

/** An edge, and the points on it at which it must be divided, in order. */
export interface DividedEdge {
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
export function findBorderMeetings(
  positions: Float64Array,
  edges: readonly { from: number; to: number }[],
  axis: number,
  places: number[],
): DividedEdge[] {
  if (edges.length > MOST_EDGES) return [];
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const at = (vertex: number, k: number) => positions[vertex * 3 + k] ?? places[vertex * 3 + k - positions.length];
  const turn = (a: number, b: number, c: number) => orient2dSignAlong(axis, positions, a, b, c);
  const pointsOf = edges.map(() => new Set<number>());
  const note = (edge: number, vertex: number) => {
    const { from, to } = edges[edge];
    if (vertex === from || vertex === to || turn(from, to, vertex) !== 0) return;
    const k = Math.abs(at(to, u) - at(from, u)) > Math.abs(at(to, v) - at(from, v)) ? u : v;
    if ((at(vertex, k) - at(from, k)) * (at(vertex, k) - at(to, k)) < 0) pointsOf[edge].add(vertex);
  };
  const doBoxesMeet = (i: number, j: number) =>
    [u, v].every((k) => {
      const [a, b, c, d] = [edges[i].from, edges[i].to, edges[j].from, edges[j].to].map((vertex) => at(vertex, k));
      return Math.min(a, b) <= Math.max(c, d) && Math.min(c, d) <= Math.max(a, b);
    });
  for (let i = 0; i < edges.length; i++) {
    for (let j = i + 1; j < edges.length; j++) {
      if (!doBoxesMeet(i, j)) continue;
      const [{ from: a, to: b }, { from: c, to: d }] = [edges[i], edges[j]];
      for (const vertex of [c, d]) note(i, vertex);
      for (const vertex of [a, b]) note(j, vertex);
      if (turn(a, b, c) * turn(a, b, d) >= 0 || turn(c, d, a) * turn(c, d, b) >= 0) continue;
      const crossing = (positions.length + places.length) / 3;
      places.push(...crossingOf(at, a, b, c, d, u, v));
      pointsOf[i].add(crossing);
      pointsOf[j].add(crossing);
    }
  }
  return edges.flatMap(({ from, to }, edge) => {
    const far = (point: number) => [0, 1, 2].reduce((sum, k) => sum + Math.abs(at(point, k) - at(from, k)), 0);
    const points = [...pointsOf[edge]].sort((s, t) => far(s) - far(t) || s - t);
    return points.length > 0 ? [{ from, to, points }] : [];
  });
}

/** The point of a b that lies on the line of c d. */
function crossingOf(
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
  const share = beside(a) / (beside(a) - beside(b));
  return [0, 1, 2].map((k) => at(a, k) + share * (at(b, k) - at(a, k)));
}
