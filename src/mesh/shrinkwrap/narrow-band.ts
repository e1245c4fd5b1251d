import type { MeshGeometry } from '../core/mesh.js';
import { closestPointOnTriangle } from '../geometry/closest-point-on-triangle.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import type { Lattice } from '../spatial/lattice.js';

/** What is near the corners of a lattice. */
export interface NarrowBand {
  /** corner → its distance from the surface in mm, at most what was asked for */
  distances: Float32Array;
  /** corner → the triangle at that distance; -1 for none near */
  nearest: Int32Array;
}

/**
 * How far each corner of a lattice is from a surface, up to `withinMm`: what is farther has that. Each triangle visits the corners near
 * it only, so the time goes with the area of the surface, not with the size of the lattice.
 */
export function computeNarrowBand(mesh: MeshGeometry, lattice: Lattice, withinMm: number): NarrowBand {
  const squaredDistances = new Float32Array(lattice.size).fill(withinMm * withinMm);
  const nearest = new Int32Array(lattice.size).fill(-1);
  const visit = createTriangleSplatter(mesh, lattice, withinMm, squaredDistances, nearest);
  for (let triangle = 0; triangle < mesh.triangles.length / 3; triangle++) visit(triangle);
  for (let corner = 0; corner < squaredDistances.length; corner++)
    squaredDistances[corner] = Math.sqrt(squaredDistances[corner]);
  return { distances: squaredDistances, nearest };
}

function createTriangleSplatter(
  { positions: p, triangles }: MeshGeometry,
  { min, stepMm, counts }: Lattice,
  withinMm: number,
  squaredDistances: Float32Array,
  nearest: Int32Array,
): (triangle: number) => void {
  const closest = new Float64Array(3);
  return (triangle) => {
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    const firstOf = (k: number) =>
      Math.max(0, Math.ceil((Math.min(p[a + k], p[b + k], p[c + k]) - withinMm - min[k]) / stepMm));
    const lastOf = (k: number) =>
      Math.min(counts[k] - 1, Math.floor((Math.max(p[a + k], p[b + k], p[c + k]) + withinMm - min[k]) / stepMm));
    const [nx, ny, nz] = doubleAreaNormal(p, triangles, triangle);
    const reach = withinMm * Math.sqrt(nx * nx + ny * ny + nz * nz);
    const [firstX, lastX, firstY, lastY, lastZ] = [firstOf(0), lastOf(0), firstOf(1), lastOf(1), lastOf(2)];
    for (let k = firstOf(2); k <= lastZ; k++) {
      const z = min[2] + k * stepMm;
      for (let j = firstY; j <= lastY; j++) {
        const y = min[1] + j * stepMm;
        // Of a row of corners only those near the triangle's plane.
        const height = (y - p[a + 1]) * ny + (z - p[a + 2]) * nz;
        if (nx === 0 && Math.abs(height) > reach) continue;
        const middle = nx === 0 ? 0 : p[a] - min[0] - height / nx;
        const half = nx === 0 ? Number.POSITIVE_INFINITY : reach / Math.abs(nx);
        const first = Math.max(firstX, Math.ceil((middle - half) / stepMm));
        const last = Math.min(lastX, Math.floor((middle + half) / stepMm));
        const row = (k * counts[1] + j) * counts[0];
        for (let i = first; i <= last; i++) {
          const square = closestPointOnTriangle(p, a, b, c, min[0] + i * stepMm, y, z, closest);
          if (!(square < squaredDistances[row + i])) continue; // of a triangle without area it may be no number
          squaredDistances[row + i] = square;
          nearest[row + i] = triangle;
        }
      }
    }
  };
}
