import { NO_TWIN } from '../topology/edges.js';
import { previousOf } from '../topology/half-edge.js';

/**
 * The holes of a mesh: rings of vertices that triangles filling them walk counter-clockwise. A ring visits each vertex once: where holes
 * touch at a vertex they are told apart. Rings of two edges are left out: those edges need no triangle, but each other.
 */
export function findHoleRings(triangles: Uint32Array, twins: Int32Array): number[][] {
  const isWalked = new Uint8Array(triangles.length);
  const rings: number[][] = [];
  for (let start = 0; start < triangles.length; start++) {
    if (twins[start] !== NO_TWIN || isWalked[start] === 1) continue;
    const walk: number[] = [];
    for (let h = start; isWalked[h] === 0; h = nextBoundaryHalfEdge(h, twins)) {
      isWalked[h] = 1;
      walk.push(triangles[h]);
    }
    rings.push(...simpleRings(walk).filter((ring) => ring.length > 2));
  }
  return rings;
}

/** The boundary half-edge that ends where `halfEdge` starts, found by turning round that vertex through its fan. */
function nextBoundaryHalfEdge(halfEdge: number, twins: Int32Array): number {
  let offset = previousOf(halfEdge);
  while (twins[offset] !== NO_TWIN) offset = previousOf(twins[offset]);
  return offset;
}

/** Cuts a closed walk at vertices that it visits more than once. */
function simpleRings(walk: readonly number[]): number[][] {
  const rings: number[][] = [];
  const path: number[] = [];
  const placeOf = new Map<number, number>(); // vertex → its place in `path`
  for (const vertex of walk) {
    const place = placeOf.get(vertex);
    if (place !== undefined) {
      const ring = path.splice(place);
      for (const abandoned of ring) placeOf.delete(abandoned);
      rings.push(ring);
    }
    placeOf.set(vertex, path.length);
    path.push(vertex);
  }
  rings.push(path);
  return rings;
}
