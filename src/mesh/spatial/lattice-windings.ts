import type { MeshGeometry } from '../core/mesh.js';
import { orient2dSignAlong } from '../geometry/predicates.js';
import type { Lattice } from './lattice.js';

// Offsets of each row in y and z, as fractions of the step. Models are unlikely to be aligned with the shifted rows.
const ROW_OFFSETS = [0.7548e-4, 0.5698e-4] as const;

/**
 * Computes the winding number of a closed surface at each point of a lattice.
 *
 * 1. Counts, for each triangle, its signed crossings with the rows of the lattice along x.
 * 2. Sums up each row (prefix sum).
 *
 * Crossings are exact (Shewchuk 1997). A row exactly through an edge counts as passing beside it, on the same side for
 * both of its triangles.
 *
 * @returns point → winding number
 */
export function computeLatticeWindings({ positions, triangles }: MeshGeometry, lattice: Lattice): Int16Array {
  const { min, stepMm, counts } = lattice;
  const windings = new Int16Array(lattice.size);
  const points = new Float64Array(12); // x, y, z of the triangle's corners, then of a point of the row
  for (let offset = 0; offset < triangles.length; offset += 3) {
    for (let k = 0; k < 9; k++) points[k] = positions[triangles[offset + ((k / 3) | 0)] * 3 + (k % 3)];
    const orientation = orient2dSignAlong(0, points, 0, 1, 2);
    if (orientation === 0) continue;
    const rangeOf = (k: 1 | 2): readonly [number, number] => {
      const from = (Math.min(points[k], points[3 + k], points[6 + k]) - min[k]) / stepMm;
      const to = (Math.max(points[k], points[3 + k], points[6 + k]) - min[k]) / stepMm;
      return [Math.max(0, Math.floor(from)), Math.min(counts[k] - 1, Math.ceil(to))];
    };
    const [firstY, lastY] = rangeOf(1);
    const [firstZ, lastZ] = rangeOf(2);
    const vertices = triangles.subarray(offset, offset + 3);
    for (let k = firstZ; k <= lastZ; k++) {
      points[11] = min[2] + (k + ROW_OFFSETS[1]) * stepMm;
      for (let j = firstY; j <= lastY; j++) {
        points[10] = min[1] + (j + ROW_OFFSETS[0]) * stepMm;
        if (!rowCrossesTriangle(points, vertices, orientation)) continue;
        const i = Math.max(0, Math.ceil((rowIntersection(points) - min[0]) / stepMm));
        // `orient2dSignAlong` is -1 if the triangle faces along x, where the row leaves the surface.
        if (i < counts[0]) windings[(k * counts[1] + j) * counts[0] + i] += orientation;
      }
    }
  }
  for (let row = 0; row < windings.length; row += counts[0]) {
    for (let i = row + 1; i < row + counts[0]; i++) windings[i] += windings[i - 1];
  }
  return windings;
}

/**
 * Returns whether the row through point 3 crosses the triangle. Breaks ties by vertex index: of a row exactly through a
 * side, both triangles assume the same side.
 */
function rowCrossesTriangle(points: Float64Array, vertices: Uint32Array, orientation: number): boolean {
  for (let side = 0; side < 3; side++) {
    const next = (side + 1) % 3;
    const isAscending = vertices[side] < vertices[next];
    const sideOrientation =
      (isAscending ? orient2dSignAlong(0, points, side, next, 3) : orient2dSignAlong(0, points, next, side, 3)) || 1;
    if ((isAscending ? sideOrientation : -sideOrientation) !== orientation) return false;
  }
  return true;
}

/** Computes the x coordinate at which the row crosses the plane of the triangle. */
function rowIntersection(p: Float64Array): number {
  const [uy, uz, vy, vz] = [p[4] - p[1], p[5] - p[2], p[7] - p[1], p[8] - p[2]];
  const determinant = uy * vz - uz * vy;
  const [y, z] = [p[10] - p[1], p[11] - p[2]];
  const u = (y * vz - z * vy) / determinant;
  const v = (uy * z - uz * y) / determinant;
  return p[0] + u * (p[3] - p[0]) + v * (p[6] - p[0]);
}
