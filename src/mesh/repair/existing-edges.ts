import { pairKey } from '../core/pair-key.js';
import { nextOf, previousOf } from '../topology/half-edge.js';

/**
 * The edges of the mesh between vertices on holes. A filling that uses one of them as a diagonal would create an edge
 * of four triangles.
 */
export interface ExistingEdges {
  has(a: number, b: number): boolean;
  /** Whether a triangle with these corners exists. The first two must be on holes. */
  hasTriangle(a: number, b: number, c: number): boolean;
  /** Adds the edges of triangles, given by three corners each. */
  add(corners: ArrayLike<number>): void;
}

/** Collects the edges of a mesh whose ends are both on one of the rings. */
export function collectExistingEdges(
  triangles: Uint32Array,
  vertexCount: number,
  rings: readonly (readonly number[])[],
): ExistingEdges {
  /** vertex → 1 if it is on a ring; undefined for new vertices, whose indices would make the keys ambiguous */
  const isOnRing = new Uint8Array(vertexCount);
  for (const ring of rings) for (const vertex of ring) isOnRing[vertex] = 1;
  const areOnRings = (a: number, b: number) => isOnRing[a] === 1 && isOnRing[b] === 1;
  const keyOf = (a: number, b: number) => pairKey(a, b, vertexCount);
  const apexesOf = new Map<number, number[]>(); // edge → the third corner of each of its triangles
  const edges: ExistingEdges = {
    has: (a, b) => areOnRings(a, b) && apexesOf.has(keyOf(a, b)),
    hasTriangle: (a, b, c) => areOnRings(a, b) && (apexesOf.get(keyOf(a, b))?.includes(c) ?? false),
    add(corners) {
      for (let h = 0; h < corners.length; h++) {
        const [a, b] = [corners[h], corners[nextOf(h)]];
        if (!areOnRings(a, b)) continue;
        const apex = corners[previousOf(h)];
        const apexes = apexesOf.get(keyOf(a, b));
        if (apexes) apexes.push(apex);
        else apexesOf.set(keyOf(a, b), [apex]);
      }
    },
  };
  edges.add(triangles);
  return edges;
}
