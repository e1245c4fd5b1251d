import { markDegenerateTriangles } from '../geometry/degenerate-triangles.js';
import type { MeshIndex } from '../spatial/mesh-index.js';
import { findIntersections } from './find-intersections.js';
import type { Intersections } from './search-pairs.js';

/** Finds the intersections of an indexed mesh, with the default limit of pairs. For `MeshIndex.derive`. */
export function findIntersectionsOf(index: MeshIndex): Intersections {
  const isDegenerate = index.derive(markDegenerateTrianglesOf);
  return findIntersections(index.mesh, { tree: index.bvh(), isDegenerate, twins: index.twins() });
}

/** Marks the degenerate triangles of an indexed mesh (triangle → 1). For `MeshIndex.derive`. */
export function markDegenerateTrianglesOf({ mesh }: MeshIndex): Uint8Array {
  return markDegenerateTriangles(mesh);
}

/** Returns the number of pairs that `findIntersectionsOf` visits. */
export function countCheckedPairs(index: MeshIndex): number {
  return index.derive(findIntersectionsOf).checkedPairs;
}

/**
 * Marks the triangles that cross or overlap another, or are degenerate (triangle → 1). Exact, unless the search exceeds
 * its default limit of pairs.
 */
export function markIntersectingOrDegenerate(index: MeshIndex): Uint8Array {
  const { crossing, overlapping } = index.derive(findIntersectionsOf);
  const isMarked = index.derive(markDegenerateTrianglesOf).slice();
  for (const triangle of crossing) isMarked[triangle] = 1;
  for (const triangle of overlapping) isMarked[triangle] = 1;
  return isMarked;
}
