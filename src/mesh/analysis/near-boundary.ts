import type { IndexedMesh } from '../core/mesh.js';
import { findNearPairs } from '../spatial/near-pairs.js';
import { nextOf } from '../topology/half-edge.js';

/** Boundary vertices closer than this share of the diagonal nearly match. */
const NEAR_FRACTION = 1e-4;

/** Boundary edges, given by their half-edges, of which both ends have another boundary vertex close by: cracks, rather than holes. */
export function countNearBoundaryEdges(
  { positions, triangles }: IndexedMesh,
  boundary: readonly number[],
  diagonalMm: number,
): number {
  const vertices = [...new Set(boundary.flatMap((h) => [triangles[h], triangles[nextOf(h)]]))];
  const isNear = new Set(findNearPairs(positions, vertices, diagonalMm * NEAR_FRACTION).flatMap(({ a, b }) => [a, b]));
  return boundary.filter((h) => isNear.has(triangles[h]) && isNear.has(triangles[nextOf(h)])).length;
}
