import { nextOf, triangleOf } from '../topology/half-edge.js';
import { ConstrainedDelaunay, NO_TWIN } from './constrained-delaunay.js';
import { insertConstraint } from './insert-constraint.js';

/**
 * Triangulates what triangles in a plane enclose together, seen along an axis (0, 1, 2): where the winding number of their border is 1 by
 * triangles that face along the axis, where it is -1 by ones that face the other way, where it is 0 not at all. Constrained Delaunay (on the plane
 * across the axis), of the border's vertices and with the border's edges, each walked as often as before and in the same direction.
 *
 * @param corners of the triangles, three vertex numbers each
 * @returns three vertex numbers a triangle; `undefined` where the border crosses or touches itself within an edge, or goes round something twice
 */
export function triangulatePlanarRegion(
  positions: Float64Array,
  corners: readonly number[],
  axis: number,
): number[] | undefined {
  const border = netBoundary(corners, positions.length / 3);
  const vertices = [...new Set(border.flatMap(({ from, to }) => [from, to]))];
  if (vertices.length === 0) return [];
  const plane = new ConstrainedDelaunay([...withSuperTriangle(positions, vertices, axis)]);
  const numberOf = new Map(vertices.map((vertex, index) => [vertex, index + 3]));
  for (const index of numberOf.values()) if (!plane.insert(index)) return undefined;
  const netCrossings = new Map<number, number>(); // half-edge → how often the border walks it, less how often it comes back
  const sides = border.map(({ from, to, count }) => ({ a: numberOf.get(from) ?? 0, b: numberOf.get(to) ?? 0, count }));
  for (const { a, b } of sides) if (!insertConstraint(plane, a, b)) return undefined;
  for (const { a, b, count } of sides) {
    const h = plane.find(a, b);
    if (h === undefined) return undefined;
    netCrossings.set(h, count).set(plane.twinOf[h], -count);
  }
  const windings = propagateWindings(plane, netCrossings);
  const triangles: number[] = [];
  for (const [triangle, winding] of windings.entries()) {
    if (Math.abs(winding) > 1) return undefined;
    if (winding === 0) continue;
    const [a, b, c] = plane.originOf.slice(triangle * 3, triangle * 3 + 3).map((index) => vertices[index - 3]);
    triangles.push(a, ...(winding > 0 ? [b, c] : [c, b]));
  }
  return triangles;
}

/** An edge of a border, the way that it is walked more often than the other, and how much more often. */
export interface BoundaryEdge {
  from: number;
  to: number;
  count: number;
}

/** The edges that triangles walk more often one way than the other, that way. */
export function netBoundary(corners: readonly number[], vertexCount: number): BoundaryEdge[] {
  const walked = new Map<number, number>(); // lower vertex * vertexCount + higher → times upward, less times downward
  corners.forEach((from, h) => {
    const to = corners[nextOf(h)];
    const key = Math.min(from, to) * vertexCount + Math.max(from, to);
    walked.set(key, (walked.get(key) ?? 0) + (from < to ? 1 : -1));
  });
  return [...walked].flatMap(([key, count]) => {
    const [low, high] = [Math.floor(key / vertexCount), key % vertexCount];
    if (count === 0) return [];
    return [count > 0 ? { from: low, to: high, count } : { from: high, to: low, count: -count }];
  });
}

/** x and y of a triangle round all, then of the vertices: the coordinates as they are, so that nothing is rounded. */
function* withSuperTriangle(positions: Float64Array, vertices: readonly number[], axis: number): Generator<number> {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const vertex of vertices) {
    [u, v].forEach((k, i) => {
      low[i] = Math.min(low[i], positions[vertex * 3 + k]);
      high[i] = Math.max(high[i], positions[vertex * 3 + k]);
    });
  }
  const [x, y] = [0, 1].map((i) => low[i] / 2 + high[i] / 2);
  const size = Math.max(high[0] - low[0], high[1] - low[1]);
  yield* [x - 20 * size, y - 10 * size, x + 20 * size, y - 10 * size, x, y + 20 * size];
  for (const vertex of vertices) yield* [positions[vertex * 3 + u], positions[vertex * 3 + v]];
}

/** triangle → how often the border goes round it counter-clockwise */
function propagateWindings(
  { originOf, twinOf }: ConstrainedDelaunay,
  netCrossings: ReadonlyMap<number, number>,
): Int32Array {
  const windings = new Int32Array(originOf.length / 3);
  const isKnown = new Uint8Array(windings.length);
  const outermost = triangleOf(originOf.indexOf(0)); // it has a corner that no border has
  isKnown[outermost] = 1;
  const open = [outermost];
  for (let triangle = open.pop(); triangle !== undefined; triangle = open.pop()) {
    for (let h = triangle * 3; h < triangle * 3 + 3; h++) {
      if (twinOf[h] === NO_TWIN) continue;
      const next = triangleOf(twinOf[h]);
      if (isKnown[next] === 1) continue;
      isKnown[next] = 1;
      windings[next] = windings[triangle] - (netCrossings.get(h) ?? 0);
      open.push(next);
    }
  }
  return windings;
}
