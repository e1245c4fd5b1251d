import { DisjointSets } from './disjoint-sets.js';
import type { Edges } from './edges.js';
import { triangleOf } from './half-edge.js';

/** The shells of a mesh, numbered by their first triangle. */
export interface Shells {
  /** triangle → shell */
  shellOf: Uint32Array;
  count: number;
}

/**
 * Finds the shells whose triangles are connected through shared edges, regardless of winding and non-manifold edges.
 */
export function findShells(triangleCount: number, edges: Edges): Shells {
  const sets = new DisjointSets(triangleCount);
  const { order, starts } = edges;
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const first = triangleOf(order[starts[edge]]);
    for (let i = starts[edge] + 1; i < starts[edge + 1]; i++) sets.union(first, triangleOf(order[i]));
  }
  return numberShells(triangleCount, sets);
}

/** Finds the shells whose triangles are connected through twins only. */
export function findTwinShells(twins: Int32Array): Shells {
  const triangleCount = twins.length / 3;
  const sets = new DisjointSets(triangleCount);
  for (let h = 0; h < twins.length; h++) if (twins[h] > h) sets.union(triangleOf(h), triangleOf(twins[h]));
  return numberShells(triangleCount, sets);
}

function numberShells(triangleCount: number, sets: DisjointSets): Shells {
  const shellOf = new Uint32Array(triangleCount);
  let count = 0;
  for (let triangle = 0; triangle < triangleCount; triangle++) {
    // The representative is the smallest element of the set. It therefore has its number already.
    const first = sets.find(triangle);
    shellOf[triangle] = first === triangle ? count++ : shellOf[first];
  }
  return { shellOf, count };
}

/** Returns shell → its triangles, in ascending order. */
export function groupTriangles({ shellOf, count }: Shells): number[][] {
  const trianglesOf: number[][] = Array.from({ length: count }, () => []);
  for (let triangle = 0; triangle < shellOf.length; triangle++) trianglesOf[shellOf[triangle]].push(triangle);
  return trianglesOf;
}
