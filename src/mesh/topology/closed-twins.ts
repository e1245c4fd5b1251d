import { buildEdges, findTwins, NO_TWIN } from './edges.js';
import { nextOf } from './half-edge.js';

/** So many half-edges are looked at for each of the mesh at most: more are needed where very many triangles meet at a vertex. */
const MAX_STEPS_PER_HALF_EDGE = 8;

/**
 * The twins of a mesh, as `findTwins` gives them, where each half-edge has one: in a third of the time that sorting all edges takes. Nothing where
 * the mesh is not closed, or neighbours disagree in winding.
 */
export function findTwinsIfClosed(triangles: Uint32Array, vertexCount: number): Int32Array | undefined {
  const { starts, order, highs: upperVertices } = bucketAscendingHalfEdges(triangles, vertexCount);
  if (order.length * 2 !== triangles.length) return undefined;
  const twins = new Int32Array(triangles.length).fill(NO_TWIN);
  let stepsLeft = triangles.length * MAX_STEPS_PER_HALF_EDGE;
  for (let h = 0; h < triangles.length; h++) {
    const from = triangles[h];
    const to = triangles[nextOf(h)];
    if (from < to) continue;
    let index = starts[to];
    while (index < starts[to + 1] && upperVertices[index] !== from) index++;
    if (index === starts[to + 1]) return undefined;
    stepsLeft -= index - starts[to];
    if (stepsLeft < 0) return findTwinsBySorting(triangles, vertexCount);
    const ascending = order[index];
    if (twins[ascending] !== NO_TWIN) return undefined;
    twins[ascending] = h;
    twins[h] = ascending;
  }
  return twins;
}

/** Whether each half-edge has a twin, and there is one at all. */
export function isClosedSurface(triangles: Uint32Array, vertexCount: number): boolean {
  return triangles.length > 0 && findTwinsIfClosed(triangles, vertexCount) !== undefined;
}

/**
 * Gathers the half-edges that go up, to a vertex of a higher number, by where they begin: each that goes down has its twin among those few.
 * `starts`: vertex → its first place, one entry more at the end; `order`: place → half-edge; `upperVertices`: place → where that ends.
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
  for (let vertex = 0; vertex < vertexCount; vertex++) starts[vertex + 1] += starts[vertex]; // behind its last place
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
  return { starts, order, highs: upperVertices };
}

function findTwinsBySorting(triangles: Uint32Array, vertexCount: number): Int32Array | undefined {
  const twins = findTwins(triangles, buildEdges(triangles, vertexCount));
  return twins.includes(NO_TWIN) ? undefined : twins;
}
