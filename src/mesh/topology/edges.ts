import { nextOf } from './half-edge.js';

/** All edges of a mesh, each with the half-edges that walk it. */
export interface Edges {
  /** Half-edges, those of one edge side by side; edges by their lower, then their higher vertex; half-edges in ascending order. */
  order: Uint32Array;
  /** edge → its first place in `order`; one entry more at the end */
  starts: Uint32Array;
}

/**
 * Groups the half-edges by edge. Two stable counting sorts: linear however many triangles meet at a vertex
 * (buckets sorted by insertion are a little faster on tame meshes, and quadratic on a fan).
 */
export function buildEdges(triangles: Uint32Array, vertexCount: number): Edges {
  const halfEdgeCount = triangles.length;
  const offsets = new Uint32Array(vertexCount + 1);
  const byHigh = new Uint32Array(halfEdgeCount);
  for (let h = 0; h < halfEdgeCount; h++) offsets[Math.max(triangles[h], triangles[nextOf(h)]) + 1]++;
  for (let v = 0; v < vertexCount; v++) offsets[v + 1] += offsets[v];
  for (let h = 0; h < halfEdgeCount; h++) byHigh[offsets[Math.max(triangles[h], triangles[nextOf(h)])]++] = h;

  offsets.fill(0);
  const order = new Uint32Array(halfEdgeCount);
  for (let h = 0; h < halfEdgeCount; h++) offsets[Math.min(triangles[h], triangles[nextOf(h)]) + 1]++;
  for (let v = 0; v < vertexCount; v++) offsets[v + 1] += offsets[v];
  for (let i = 0; i < halfEdgeCount; i++) {
    const h = byHigh[i];
    order[offsets[Math.min(triangles[h], triangles[nextOf(h)])]++] = h;
  }
  return { order, starts: findStarts(triangles, order, byHigh) };
}

/** `scratch` has room for as many entries as `order`; no longer needed by its maker. */
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

/** Where a half-edge has no twin. */
export const NO_TWIN = -1;

/** half-edge → its twin: the other one of an edge with exactly two triangles that walk it in opposite directions; else `NO_TWIN`. */
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

/** The half-edges of edges with one triangle. */
export function findBoundaryHalfEdges({ order, starts }: Edges): number[] {
  const matches: number[] = [];
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] === 1) matches.push(order[starts[edge]]);
  }
  return matches;
}
