import type { MeshGeometry } from '../../core/mesh.js';
import { dot } from '../../core/vec3.js';
import { doubleAreaNormal } from '../../geometry/double-area-normal.js';

/** A vertex moves at most this many times the distance: between faces that meet at a sharp edge it would have to go far. */
const MAX_DISPLACEMENT_FACTOR = 8;

/**
 * Moves each vertex of a closed mesh outward such that each of its triangles moves by at least `distanceMm` along its
 * normal, where that is possible.
 */
export function inflate({ positions, triangles }: MeshGeometry, distanceMm: number): MeshGeometry {
  const normals = listVertexNormals({ positions, triangles });
  const moved = positions.slice();
  normals.forEach((around, vertex) => {
    const mean = [0, 1, 2].map((k) => around.reduce((sum, normal) => sum + normal[k], 0));
    const length = Math.hypot(...mean);
    if (length === 0) return;
    const direction = mean.map((part) => part / length);
    const smallest = Math.min(...around.map((normal) => dot(normal, direction)));
    const factor = distanceMm / Math.max(smallest, 1 / MAX_DISPLACEMENT_FACTOR);
    for (let k = 0; k < 3; k++) moved[vertex * 3 + k] += direction[k] * factor;
  });
  return { positions: moved, triangles };
}

/** vertex → the unit normals of its triangles that have an area */
function listVertexNormals({ positions, triangles }: MeshGeometry): number[][][] {
  const normals: number[][][] = Array.from({ length: positions.length / 3 }, () => []);
  for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
    const normal = doubleAreaNormal(positions, triangles, triangle);
    const length = Math.hypot(...normal);
    if (length === 0) continue;
    const unit = normal.map((part) => part / length);
    for (let k = 0; k < 3; k++) normals[triangles[triangle * 3 + k]].push(unit);
  }
  return normals;
}
