import type { MeshGeometry } from '../core/mesh.js';
import { orient3dSign } from '../geometry/predicates.js';
import type { Bvh } from './bvh.js';
import { castRayFrom, type TriangleFilter } from './cast-ray.js';

/** How many times the wanted triangles go round a point, counted along a ray towards some side. They must belong to closed surfaces. */
export function windingNumber(
  mesh: MeshGeometry,
  tree: Bvh,
  point: readonly number[],
  toward: readonly number[],
  isWanted: TriangleFilter,
): number {
  const hits = castRayFrom(mesh, tree, point, toward, isWanted);
  // A ray that starts behind a wall leaves the body through it.
  return hits.reduce((sum, wall) => sum + (isBehindTriangle(mesh, wall, point) ? 1 : -1), 0);
}

/** Whether the point lies behind the triangle: on the side away from its normal. */
export function isBehindTriangle(
  { positions, triangles }: MeshGeometry,
  triangle: number,
  point: ArrayLike<number>,
): boolean {
  const points = new Float64Array(12);
  for (let k = 0; k < 3; k++) {
    const offset = triangles[triangle * 3 + k] * 3;
    points.set(positions.subarray(offset, offset + 3), k * 3);
  }
  points.set(point, 9);
  return orient3dSign(points, 0, 1, 2, 3) > 0;
}
