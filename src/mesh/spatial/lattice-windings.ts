import type { MeshGeometry } from '../core/mesh.js';
import { orient2dSignAlong } from '../geometry/predicates.js';
import type { Lattice } from './lattice.js';

// Rows of corners run along x, each a little beside the true one, as shares of the step: nothing of a model lies just there.
const ROW_OFFSETS = [0.7548e-4, 0.5698e-4] as const;

/**
 * How many times a closed surface goes round each corner of a lattice. Each triangle is entered where it crosses rows of corners; the rows
 * are then summed up. Whether a row goes through a triangle or past it is decided exactly, so that neighbours never both miss it.
 */
export function computeLatticeWindings({ positions, triangles }: MeshGeometry, lattice: Lattice): Int16Array {
  const { min, stepMm, counts } = lattice;
  const windings = new Int16Array(lattice.size);
  const points = new Float64Array(12); // the triangle's corners, then the row's point
  for (let offset = 0; offset < triangles.length; offset += 3) {
    for (let k = 0; k < 9; k++) points[k] = positions[triangles[offset + ((k / 3) | 0)] * 3 + (k % 3)];
    const turn = orient2dSignAlong(0, points, 0, 1, 2);
    if (turn === 0) continue;
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
        if (!rowCrossesTriangle(points, vertices, turn)) continue;
        const i = Math.max(0, Math.ceil((rowIntersection(points) - min[0]) / stepMm));
        if (i < counts[0]) windings[(k * counts[1] + j) * counts[0] + i] += turn; // a row leaves through a triangle that `orient2dSignAlong` sees turn the negative way
      }
    }
  }
  for (let row = 0; row < windings.length; row += counts[0]) {
    for (let i = row + 1; i < row + counts[0]; i++) windings[i] += windings[i - 1];
  }
  return windings;
}

/** Whether the row through point 3 goes through the triangle. A row exactly over a side is taken to the same hand by both its triangles. */
function rowCrossesTriangle(points: Float64Array, vertices: Uint32Array, turn: number): boolean {
  for (let side = 0; side < 3; side++) {
    const next = (side + 1) % 3;
    const isRising = vertices[side] < vertices[next];
    const orientation =
      (isRising ? orient2dSignAlong(0, points, side, next, 3) : orient2dSignAlong(0, points, next, side, 3)) || 1;
    if ((isRising ? orientation : -orientation) !== turn) return false;
  }
  return true;
}

/** Where the row meets the triangle's plane. */
function rowIntersection(p: Float64Array): number {
  const [uy, uz, vy, vz] = [p[4] - p[1], p[5] - p[2], p[7] - p[1], p[8] - p[2]];
  const whole = uy * vz - uz * vy;
  const [y, z] = [p[10] - p[1], p[11] - p[2]];
  const u = (y * vz - z * vy) / whole;
  const v = (uy * z - uz * y) / whole;
  return p[0] + u * (p[3] - p[0]) + v * (p[6] - p[0]);
}
