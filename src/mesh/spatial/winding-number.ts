import type { MeshGeometry } from '../mesh.js';
import { castRayFrom, type IsWanted } from './cast-ray.js';
import { sideOfPlane } from './predicates.js';
import type { TriangleTree } from './triangle-tree.js';

/** How many times the wanted triangles go round a point, counted along a ray towards some side. They must belong to closed surfaces. */
export function windingNumber(
  mesh: MeshGeometry,
  tree: TriangleTree,
  point: readonly number[],
  toward: readonly number[],
  isWanted: IsWanted,
): number {
  const walls = castRayFrom(mesh, tree, point, toward, isWanted);
  // A ray that starts behind a wall leaves the body through it.
  return walls.reduce((sum, wall) => sum + (isBehind(mesh, wall, point) ? 1 : -1), 0);
}

/** Whether the point lies behind the triangle: on the side away from its normal. */
export function isBehind({ positions, triangles }: MeshGeometry, triangle: number, point: ArrayLike<number>): boolean {
  const points = new Float64Array(12);
  for (let k = 0; k < 3; k++) {
    const at = triangles[triangle * 3 + k] * 3;
    points.set(positions.subarray(at, at + 3), k * 3);
  }
  points.set(point, 9);
  return sideOfPlane(points, 0, 1, 2, 3) > 0;
}
