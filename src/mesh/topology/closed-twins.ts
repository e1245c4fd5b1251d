import { buildEdges, findTwins, NO_TWIN } from './edges.js';
import { nextOf } from './half-edge.js';

/** Limit of comparisons per half-edge. Vertices with very many triangles exceed it; the edges are then sorted. */
const MAX_STEPS_PER_HALF_EDGE = 8;

/**
 * Finds the twins of a closed mesh, in a third of the time that sorting all edges takes.
 *
 * @returns half-edge → twin, as `findTwins` returns; `undefined` if a half-edge has no twin: the mesh is not closed,
 * not consistently oriented, or has a non-manifold edge
 */
export function findTwinsIfClosed(triangles: Uint32Array, vertexCount: number): Int32Array | undefined {
  const { starts, order, upperVertices } = bucketAscendingHalfEdges(triangles, vertexCount);
  if (order.length * 2 !== triangles.length) return undefined;
  const twins = new Int32Array(triangles.length).fill(NO_TWIN);
  let remainingSteps = triangles.length * MAX_STEPS_PER_HALF_EDGE;
  for (let h = 0; h < triangles.length; h++) {
    const from = triangles[h];
    const to = triangles[nextOf(h)];
    if (from < to) continue;
    let index = starts[to];
    while (index < starts[to + 1] && upperVertices[index] !== from) index++;
    if (index === starts[to + 1]) return undefined;
    remainingSteps -= index - starts[to];
    if (remainingSteps < 0) return findTwinsBySorting(triangles, vertexCount);
    const ascending = order[index];
    if (twins[ascending] !== NO_TWIN) return undefined;
    twins[ascending] = h;
    twins[h] = ascending;
  }
  return twins;
}

/** Returns whether a mesh has triangles and each half-edge has a twin. */
export function isClosedSurface(triangles: Uint32Array, vertexCount: number): boolean {
  return triangles.length > 0 && findTwinsIfClosed(triangles, vertexCount) !== undefined;
}

/**
 * Groups the half-edges that ascend, to a vertex with a higher index, by their origin. The twin of a half-edge that
 * descends to a vertex is in the group of that vertex.
 *
 * @returns `starts`: vertex → index of its first half-edge in `order`, with one extra entry at the end; `order`: index
 * → half-edge; `upperVertices`: index → vertex that the half-edge ends at
 */
function bucketAscendingHalfEdges(triangles: Uint32Array, vertexCount: number) {
  const starts = new Uint32Array(vertexCount + 1);
  for (let offset = 0; offset < triangles.length; offset += 3) {
    const a = triangles[offset];
    const b = triangles[offset + 1];
    const c = triangles[offset + 2];
    if (a < b) starts[a]++;
    if (b < c) starts[b]++;
    if (c < a) starts[c]++;
  }
  for (let vertex = 0; vertex < vertexCount; vertex++) starts[vertex + 1] += starts[vertex]; // end of each group
  const order = new Uint32Array(starts[vertexCount]);
  const upperVertices = new Uint32Array(order.length);
  const add = (from: number, h: number, to: number): void => {
    const index = --starts[from];
    order[index] = h;
    upperVertices[index] = to;
  };
  for (let offset = 0; offset < triangles.length; offset += 3) {
    const a = triangles[offset];
    const b = triangles[offset + 1];
    const c = triangles[offset + 2];
    if (a < b) add(a, offset, b);
    if (b < c) add(b, offset + 1, c);
    if (c < a) add(c, offset + 2, a);
  }
  return { starts, order, upperVertices };
}

function findTwinsBySorting(triangles: Uint32Array, vertexCount: number): Int32Array | undefined {
  const twins = findTwins(triangles, buildEdges(triangles, vertexCount));
  return twins.includes(NO_TWIN) ? undefined : twins;
}
