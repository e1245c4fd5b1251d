import { pairKey } from '../core/pair-key.js';
import { NO_TWIN } from '../topology/edges.js';
import { nextOf, triangleOf } from '../topology/half-edge.js';
import { ConstrainedDelaunay } from './constrained-delaunay.js';
import { insertConstraint } from './insert-constraint.js';

/**
 * Replaces the triangles of a planar region by a constrained Delaunay triangulation of its boundary (Sloan 1993),
 * projected along an axis.
 *
 * 1. Computes the net boundary of the triangles.
 * 2. Triangulates its vertices, with its edges as constraints.
 * 3. Computes the winding number of each triangle from the boundary edges.
 * 4. Keeps triangles with winding number 1, reverses those with -1, and drops those with 0. Of others, there are as many
 *    copies as the winding number says.
 *
 * The net boundary is preserved, including the direction of its edges.
 *
 * @param corners three vertex indices per triangle
 * @param axis 0: x, 1: y, 2: z
 * @param maxWinding how often the boundary may wind around a part. Default: once.
 * @returns three vertex indices per triangle; `undefined` if the boundary intersects itself in an edge, or winds around
 * a part more often
 */
export function triangulatePlanarRegion(
  positions: Float64Array,
  corners: readonly number[],
  axis: number,
  maxWinding = 1,
): number[] | undefined {
  const boundary = netBoundary(corners, positions.length / 3);
  const vertices = [...new Set(boundary.flatMap(({ from, to }) => [from, to]))];
  if (vertices.length === 0) return [];
  const triangulation = new ConstrainedDelaunay([...withSuperTriangle(positions, vertices, axis)]);
  const pointOf = new Map(vertices.map((vertex, index) => [vertex, index + 3]));
  for (const index of pointOf.values()) if (!triangulation.insert(index)) return undefined;
  const netCrossings = new Map<number, number>(); // half-edge → boundary edges along it, minus those against it
  const constraints = boundary.map(({ from, to, count }) => ({
    a: pointOf.get(from) ?? 0,
    b: pointOf.get(to) ?? 0,
    count,
  }));
  for (const { a, b } of constraints) if (!insertConstraint(triangulation, a, b)) return undefined;
  for (const { a, b, count } of constraints) {
    const h = triangulation.find(a, b);
    if (h === undefined) return undefined;
    netCrossings.set(h, count).set(triangulation.twinOf[h], -count);
  }
  const windings = propagateWindings(triangulation, netCrossings);
  const triangles: number[] = [];
  for (const [triangle, winding] of windings.entries()) {
    if (Math.abs(winding) > maxWinding) return undefined;
    if (winding === 0) continue;
    const [a, b, c] = triangulation.originOf.slice(triangle * 3, triangle * 3 + 3).map((index) => vertices[index - 3]);
    for (let copy = 0; copy < Math.abs(winding); copy++) triangles.push(a, ...(winding > 0 ? [b, c] : [c, b]));
  }
  return triangles;
}

/** A boundary edge, in the direction of the majority of its half-edges. */
export interface BoundaryEdge {
  from: number;
  to: number;
  /** Half-edges in this direction, minus those in the opposite direction. */
  count: number;
}

/** Computes the boundary edges of triangles: those with more half-edges in one direction than in the other. */
export function netBoundary(corners: readonly number[], vertexCount: number): BoundaryEdge[] {
  // edge key → ascending minus descending half-edges
  const balance = new Map<number, number>();
  corners.forEach((from, h) => {
    const to = corners[nextOf(h)];
    const key = pairKey(from, to, vertexCount);
    balance.set(key, (balance.get(key) ?? 0) + (from < to ? 1 : -1));
  });
  return [...balance].flatMap(([key, count]) => {
    const [low, high] = [Math.floor(key / vertexCount), key % vertexCount];
    if (count === 0) return [];
    return [count > 0 ? { from: low, to: high, count } : { from: high, to: low, count: -count }];
  });
}

/**
 * Yields x and y of the corners of a super-triangle that contains all vertices, then of the vertices. The projection
 * along an axis keeps coordinates unchanged and is therefore exact.
 */
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

/** Computes the winding number of the boundary around each triangle (triangle → winding number, counterclockwise). */
function propagateWindings(
  { originOf, twinOf }: ConstrainedDelaunay,
  netCrossings: ReadonlyMap<number, number>,
): Int32Array {
  const windings = new Int32Array(originOf.length / 3);
  const isKnown = new Uint8Array(windings.length);
  const outside = triangleOf(originOf.indexOf(0)); // a corner of the super-triangle is outside the boundary
  isKnown[outside] = 1;
  const pending = [outside];
  for (let triangle = pending.pop(); triangle !== undefined; triangle = pending.pop()) {
    for (let h = triangle * 3; h < triangle * 3 + 3; h++) {
      if (twinOf[h] === NO_TWIN) continue;
      const next = triangleOf(twinOf[h]);
      if (isKnown[next] === 1) continue;
      isKnown[next] = 1;
      windings[next] = windings[triangle] - (netCrossings.get(h) ?? 0);
      pending.push(next);
    }
  }
  return windings;
}
