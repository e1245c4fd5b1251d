import { nextOf } from './half-edge.js';

/** The half-edges of a mesh, grouped by edge. */
export interface Edges {
  /** index → half-edge; sorted by the lower vertex of the edge, then by its higher vertex, then by half-edge */
  order: Uint32Array;
  /** edge → index of its first half-edge in `order`, with one extra entry at the end */
  starts: Uint32Array;
}

/**
 * Groups the half-edges of a mesh by edge.
 *
 * Two stable counting sorts take linear time, however many triangles share a vertex. Buckets per vertex with insertion
 * sort are slightly faster on typical meshes, but take quadratic time on a large fan.
 */
export function buildEdges(triangles: Uint32Array, vertexCount: number): Edges {
  const halfEdgeCount = triangles.length;
  const offsets = new Uint32Array(vertexCount + 1);
  const byHigherVertex = new Uint32Array(halfEdgeCount);
  for (let h = 0; h < halfEdgeCount; h++) offsets[Math.max(triangles[h], triangles[nextOf(h)]) + 1]++;
  for (let v = 0; v < vertexCount; v++) offsets[v + 1] += offsets[v];
  for (let h = 0; h < halfEdgeCount; h++) byHigherVertex[offsets[Math.max(triangles[h], triangles[nextOf(h)])]++] = h;

  offsets.fill(0);
  const order = new Uint32Array(halfEdgeCount);
  for (let h = 0; h < halfEdgeCount; h++) offsets[Math.min(triangles[h], triangles[nextOf(h)]) + 1]++;
  for (let v = 0; v < vertexCount; v++) offsets[v + 1] += offsets[v];
  for (let i = 0; i < halfEdgeCount; i++) {
    const h = byHigherVertex[i];
    order[offsets[Math.min(triangles[h], triangles[nextOf(h)])]++] = h;
  }
  return { order, starts: findStarts(triangles, order, byHigherVertex) };
}

/** Finds the start of each edge in `order`. Overwrites `scratch`, which must be as long as `order`. */
function findStarts(triangles: Uint32Array, order: Uint32Array, scratch: Uint32Array): Uint32Array {
  let edgeCount = 0;
  let low = -1;
  let high = -1;
  for (let i = 0; i < order.length; i++) {
    const h = order[i];
    const a = triangles[h];
    const b = triangles[nextOf(h)];
    const isNew = a < b ? a !== low || b !== high : b !== low || a !== high;
    if (!isNew) continue;
    low = Math.min(a, b);
    high = Math.max(a, b);
    scratch[edgeCount++] = i;
  }
  const starts = new Uint32Array(edgeCount + 1);
  starts.set(scratch.subarray(0, edgeCount));
  starts[edgeCount] = order.length;
  return starts;
}

/** The entry for a half-edge without a twin. */
export const NO_TWIN = -1;

/**
 * Finds the twin of each half-edge: the opposite half-edge of an edge with exactly two triangles that are consistently
 * oriented.
 *
 * @returns half-edge → twin, or `NO_TWIN`
 */
export function findTwins(triangles: Uint32Array, edges: Edges): Int32Array {
  const { order, starts } = edges;
  const twins = new Int32Array(triangles.length).fill(NO_TWIN);
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] !== 2) continue;
    const a = order[starts[edge]];
    const b = order[starts[edge] + 1];
    if (triangles[a] === triangles[b]) continue;
    twins[a] = b;
    twins[b] = a;
  }
  return twins;
}

/** Finds the half-edges of boundary edges, which have one triangle. */
export function findBoundaryHalfEdges({ order, starts }: Edges): number[] {
  const matches: number[] = [];
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] === 1) matches.push(order[starts[edge]]);
  }
  return matches;
}

/** Returns half-edge → edge. */
export function mapHalfEdgesToEdges({ order, starts }: Edges): Uint32Array {
  const edgeOf = new Uint32Array(order.length);
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    for (let i = starts[edge]; i < starts[edge + 1]; i++) edgeOf[order[i]] = edge;
  }
  return edgeOf;
}
