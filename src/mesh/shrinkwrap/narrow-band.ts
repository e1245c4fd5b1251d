import type { MeshGeometry } from '../core/mesh.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { closestPointOnTriangle } from '../geometry/point-triangle-distance.js';
import type { Lattice } from '../spatial/lattice.js';

/** The narrow band of a surface: distances at the lattice corners near it. */
export interface NarrowBand {
  /** corner → its distance from the surface in mm, at most the width of the band */
  distances: Float32Array;
  /** corner → its nearest triangle; -1 outside the band */
  nearest: Int32Array;
}

/**
 * Computes the distance of each corner of a lattice from a surface, at most `widthMm`. Each triangle visits only the
 * corners near it, so that the time is proportional to the area of the surface, not to the size of the lattice.
 */
export function computeNarrowBand(mesh: MeshGeometry, lattice: Lattice, widthMm: number): NarrowBand {
  const squaredDistances = new Float32Array(lattice.size).fill(widthMm * widthMm);
  const nearest = new Int32Array(lattice.size).fill(-1);
  const visit = createTriangleSplatter(mesh, lattice, widthMm, squaredDistances, nearest);
  for (let triangle = 0; triangle < mesh.triangles.length / 3; triangle++) visit(triangle);
  for (let corner = 0; corner < squaredDistances.length; corner++)
    squaredDistances[corner] = Math.sqrt(squaredDistances[corner]);
  return { distances: squaredDistances, nearest };
}

/** Creates a function that updates the distances of the corners near a triangle. */
function createTriangleSplatter(
  { positions, triangles }: MeshGeometry,
  { min, stepMm, counts }: Lattice,
  widthMm: number,
  squaredDistances: Float32Array,
  nearest: Int32Array,
): (triangle: number) => void {
  const closest = new Float64Array(3);
  return (triangle) => {
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    const firstOf = (k: number) =>
      Math.max(
        0,
        Math.ceil((Math.min(positions[a + k], positions[b + k], positions[c + k]) - widthMm - min[k]) / stepMm),
      );
    const lastOf = (k: number) =>
      Math.min(
        counts[k] - 1,
        Math.floor((Math.max(positions[a + k], positions[b + k], positions[c + k]) + widthMm - min[k]) / stepMm),
      );
    const [nx, ny, nz] = doubleAreaNormal(positions, triangles, triangle);
    const scaledWidth = widthMm * Math.sqrt(nx * nx + ny * ny + nz * nz);
    const [firstX, lastX, firstY, lastY, lastZ] = [firstOf(0), lastOf(0), firstOf(1), lastOf(1), lastOf(2)];
    for (let k = firstOf(2); k <= lastZ; k++) {
      const z = min[2] + k * stepMm;
      for (let j = firstY; j <= lastY; j++) {
        const y = min[1] + j * stepMm;
        // In a row of corners, only those near the plane of the triangle are visited.
        const height = (y - positions[a + 1]) * ny + (z - positions[a + 2]) * nz;
        if (nx === 0 && Math.abs(height) > scaledWidth) continue;
        const planeX = nx === 0 ? 0 : positions[a] - min[0] - height / nx;
        const halfWidth = nx === 0 ? Number.POSITIVE_INFINITY : scaledWidth / Math.abs(nx);
        const first = Math.max(firstX, Math.ceil((planeX - halfWidth) / stepMm));
        const last = Math.min(lastX, Math.floor((planeX + halfWidth) / stepMm));
        const row = (k * counts[1] + j) * counts[0];
        for (let i = first; i <= last; i++) {
          const square = closestPointOnTriangle(positions, a, b, c, min[0] + i * stepMm, y, z, closest);
          if (!(square < squaredDistances[row + i])) continue; // NaN is possible for a degenerate triangle
          squaredDistances[row + i] = square;
          nearest[row + i] = triangle;
        }
      }
    }
  };
}
