import { NO_TWIN } from '../topology/edges.js';
import { previousOf } from '../topology/half-edge.js';

/**
 * Finds the holes of a mesh, as rings of vertices in the direction in which the filling triangles traverse them. A ring
 * visits each vertex once: holes that touch at a vertex are separate rings. Rings of two edges are omitted: these edges
 * need no triangle between them, only pairing.
 */
export function findHoleRings(triangles: Uint32Array, twins: Int32Array): number[][] {
  const isVisited = new Uint8Array(triangles.length);
  const rings: number[][] = [];
  for (let start = 0; start < triangles.length; start++) {
    if (twins[start] !== NO_TWIN || isVisited[start] === 1) continue;
    const walk: number[] = [];
    for (let h = start; isVisited[h] === 0; h = nextBoundaryHalfEdge(h, twins)) {
      isVisited[h] = 1;
      walk.push(triangles[h]);
    }
    rings.push(...splitIntoSimpleRings(walk).filter((ring) => ring.length > 2));
  }
  return rings;
}

/** Returns the boundary half-edge that ends where `halfEdge` starts, by traversing the fan of that vertex. */
function nextBoundaryHalfEdge(halfEdge: number, twins: Int32Array): number {
  let h = previousOf(halfEdge);
  while (twins[h] !== NO_TWIN) h = previousOf(twins[h]);
  return h;
}

/** Splits a closed walk at the vertices that it visits more than once. */
function splitIntoSimpleRings(walk: readonly number[]): number[][] {
  const rings: number[][] = [];
  const path: number[] = [];
  const indexOf = new Map<number, number>(); // vertex → its index in `path`
  for (const vertex of walk) {
    const index = indexOf.get(vertex);
    if (index !== undefined) {
      const ring = path.splice(index);
      for (const removed of ring) indexOf.delete(removed);
      rings.push(ring);
    }
    indexOf.set(vertex, path.length);
    path.push(vertex);
  }
  rings.push(path);
  return rings;
}
