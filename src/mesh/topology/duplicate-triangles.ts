import type { Connectivity } from './connectivity.js';
import type { Edges } from './edges.js';
import { nextOf, previousOf, triangleOf } from './half-edge.js';

/**
 * Finds the groups of two or more triangles with the same three corners, in any winding.
 *
 * @param isIncluded triangle → 1 if it is considered
 */
export function findDuplicateGroups(
  triangles: Uint32Array,
  connectivity: Connectivity,
  isIncluded: Uint8Array,
): number[][] {
  return connectivity.isClosed()
    ? findBackToBackPairs(connectivity.twins(), isIncluded)
    : findGroupsAtEdges(triangles, connectivity.edges(), isIncluded);
}

/** Finds the duplicates in a closed mesh: pairs of triangles that are twins at all three edges. */
function findBackToBackPairs(twins: Int32Array, isIncluded: Uint8Array): number[][] {
  const pairs: number[][] = [];
  for (let triangle = 0; triangle < isIncluded.length; triangle++) {
    const other = triangleOf(twins[triangle * 3]);
    if (other < triangle || isIncluded[triangle] === 0 || isIncluded[other] === 0) continue;
    if (triangleOf(twins[triangle * 3 + 1]) === other && triangleOf(twins[triangle * 3 + 2]) === other)
      pairs.push([triangle, other]);
  }
  return pairs;
}

/**
 * Finds the duplicates in any mesh. They share all three edges, and are searched among the triangles that share the
 * edge between their two lowest vertices.
 */
function findGroupsAtEdges(triangles: Uint32Array, { order, starts }: Edges, isIncluded: Uint8Array): number[][] {
  const groups: number[][] = [];
  const trianglesOf = new Map<number, number[]>(); // third corner → triangles at the edge with this corner
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] < 2) continue;
    trianglesOf.clear();
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      const h = order[i];
      const third = triangles[previousOf(h)];
      // Consider each triangle only at the edge of which the third corner is the highest vertex.
      if (isIncluded[triangleOf(h)] === 0 || third < Math.max(triangles[h], triangles[nextOf(h)])) continue;
      const duplicates = trianglesOf.get(third);
      if (duplicates) duplicates.push(triangleOf(h));
      else trianglesOf.set(third, [triangleOf(h)]);
    }
    for (const group of trianglesOf.values()) if (group.length > 1) groups.push(group);
  }
  return groups;
}

/**
 * Returns whether the corners of a triangle ascend, starting at the lowest. Of two duplicates with opposite windings,
 * exactly one does.
 */
export function hasAscendingWinding(triangles: Uint32Array, triangle: number): boolean {
  const [a, b, c] = triangles.subarray(triangle * 3, triangle * 3 + 3);
  return (a < b && b < c) || (b < c && c < a) || (c < a && a < b);
}
