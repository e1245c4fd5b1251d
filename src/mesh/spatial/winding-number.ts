import type { MeshGeometry } from '../core/mesh.js';
import { orient3dSign } from '../geometry/predicates.js';
import type { Bvh } from './bvh.js';
import { castRayFrom, type TriangleFilter } from './cast-ray.js';

/**
 * Computes the winding number of a closed surface at a point, by ray casting: the signed number of triangles that a ray
 * from the point crosses. For closed surfaces, this equals the generalized winding number of Jacobson et al. 2013.
 *
 * @param tree the BVH of `mesh`
 * @param toward approximate direction of the ray
 * @param filter selects the triangles of the surface, which must be closed
 */
export function windingNumber(
  mesh: MeshGeometry,
  tree: Bvh,
  point: readonly number[],
  toward: readonly number[],
  filter: TriangleFilter,
): number {
  const hits = castRayFrom(mesh, tree, point, toward, filter);
  // A ray that starts behind a triangle leaves the surface through it.
  return hits.reduce((sum, triangle) => sum + (isBehindTriangle(mesh, triangle, point) ? 1 : -1), 0);
}

/** Returns whether a point lies strictly behind a triangle, on the side opposite to its normal. Exact. */
export function isBehindTriangle(
  { positions, triangles }: MeshGeometry,
  triangle: number,
  point: ArrayLike<number>,
): boolean {
  const points = new Float64Array(12);
  for (let k = 0; k < 3; k++) {
    const offset = triangles[triangle * 3 + k] * 3;
    for (let axis = 0; axis < 3; axis++) points[k * 3 + axis] = positions[offset + axis];
  }
  for (let axis = 0; axis < 3; axis++) points[9 + axis] = point[axis];
  return orient3dSign(points, 0, 1, 2, 3) > 0;
}
