import { nextOf } from './half-edge.js';

/** Returns the vertices at the ends of half-edges, each once, in ascending order. */
export function verticesOfHalfEdges(triangles: Uint32Array, halfEdges: readonly number[]): number[] {
  return [...new Set(halfEdges.flatMap((h) => [triangles[h], triangles[nextOf(h)]]))].sort((a, b) => a - b);
}
