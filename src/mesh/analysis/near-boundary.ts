import type { MeshGeometry } from '../core/mesh.js';
import { findNearPairs } from '../spatial/near-pairs.js';
import { nextOf } from '../topology/half-edge.js';

/** Boundary vertices closer than this fraction of the diagonal nearly match. */
const NEAR_FRACTION = 1e-4;

/**
 * Counts the boundary edges whose ends both have another boundary vertex nearby. They belong to cracks rather than to
 * holes. `boundary` lists half-edges.
 */
export function countNearBoundaryEdges(
  { positions, triangles }: MeshGeometry,
  boundary: readonly number[],
  diagonalMm: number,
): number {
  const vertices = [...new Set(boundary.flatMap((h) => [triangles[h], triangles[nextOf(h)]]))];
  const isNear = new Set(findNearPairs(positions, vertices, diagonalMm * NEAR_FRACTION).flatMap(({ a, b }) => [a, b]));
  return boundary.filter((h) => isNear.has(triangles[h]) && isNear.has(triangles[nextOf(h)])).length;
}
