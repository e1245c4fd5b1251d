import { DisjointSets } from './disjoint-sets.js';
import type { Edges } from './edges.js';
import { triangleOf } from './half-edge.js';

/** Which shell each triangle belongs to. Shells are numbered by their first triangle. */
export interface Shells {
  /** triangle → shell */
  shellOf: Uint32Array;
  count: number;
}

/** Shells as connected through any edges, whatever the number and winding of the triangles there. */
export function findShells(triangleCount: number, edges: Edges): Shells {
  const sets = new DisjointSets(triangleCount);
  const { order, starts } = edges;
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const first = triangleOf(order[starts[edge]]);
    for (let i = starts[edge] + 1; i < starts[edge + 1]; i++) sets.union(first, triangleOf(order[i]));
  }
  return numberShells(triangleCount, sets);
}

/** Shells as connected through twins only. */
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
    // The set is named after its smallest element, which therefore has its number already.
    const first = sets.find(triangle);
    shellOf[triangle] = first === triangle ? count++ : shellOf[first];
  }
  return { shellOf, count };
}
