import { nextOf, previousOf } from '../topology/half-edge.js';

/** Edges between vertices of holes that triangles of the mesh have already: a cap that uses one as a diagonal makes an edge of four triangles. */
export interface ExistingEdges {
  has(a: number, b: number): boolean;
  /** Whether these are the corners of a triangle. The first two must be on holes. */
  hasTriangle(a: number, b: number, c: number): boolean;
  /** Adds triangles, three corners each. */
  add(corners: ArrayLike<number>): void;
}

/** The edges of a mesh both of whose ends are on one of these rings. */
export function collectExistingEdges(
  triangles: Uint32Array,
  vertexCount: number,
  rings: readonly (readonly number[])[],
): ExistingEdges {
  const isOnRing = new Uint8Array(vertexCount); // reads as undefined for vertices that are new: their numbers are no part of keys
  for (const ring of rings) for (const vertex of ring) isOnRing[vertex] = 1;
  const areOnRings = (a: number, b: number) => isOnRing[a] === 1 && isOnRing[b] === 1;
  const keyOf = (a: number, b: number) => Math.min(a, b) * vertexCount + Math.max(a, b);
  const apexesOf = new Map<number, number[]>(); // edge → the third corner of each triangle there
  const taken: ExistingEdges = {
    has: (a, b) => areOnRings(a, b) && apexesOf.has(keyOf(a, b)),
    hasTriangle: (a, b, c) => areOnRings(a, b) && (apexesOf.get(keyOf(a, b))?.includes(c) ?? false),
    add(corners) {
      for (let h = 0; h < corners.length; h++) {
        const [a, b] = [corners[h], corners[nextOf(h)]];
        if (!areOnRings(a, b)) continue;
        const third = corners[previousOf(h)];
        const thirds = apexesOf.get(keyOf(a, b));
        if (thirds) thirds.push(third);
        else apexesOf.set(keyOf(a, b), [third]);
      }
    },
  };
  taken.add(triangles);
  return taken;
}
