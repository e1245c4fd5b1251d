import type { MeshGeometry } from '../core/mesh.js';
import { areCollinear } from './predicates.js';

/** Triangles whose relative height is at most this in floating point are tested exactly. */
const EXACT_TEST_HEIGHT = 1e-12;

/**
 * Marks the triangles of exactly zero area (triangle → 1): two corners coincide, or all three are collinear.
 * Exact (Shewchuk 1997).
 */
export function markDegenerateTriangles(mesh: MeshGeometry): Uint8Array {
  const isDegenerate = new Uint8Array(mesh.triangles.length / 3);
  markDegenerateInRange(mesh, 0, isDegenerate.length, isDegenerate);
  return isDegenerate;
}

/** Marks the degenerate triangles from `first` to before `end` in `isDegenerate`, as `markDegenerateTriangles`. */
export function markDegenerateInRange(
  { positions, triangles }: MeshGeometry,
  first: number,
  end: number,
  isDegenerate: Uint8Array,
): void {
  for (let triangle = first; triangle < end; triangle++) {
    const offset = triangle * 3;
    if (relativeHeight(positions, triangles, offset) > EXACT_TEST_HEIGHT) continue;
    if (areCollinear(positions, triangles[offset], triangles[offset + 1], triangles[offset + 2]))
      isDegenerate[triangle] = 1;
  }
}

/**
 * Computes the smallest height of a triangle as a fraction of its longest side, in floating point. Returns 0 if all
 * corners coincide.
 *
 * @param offset index of the triangle's first corner in `triangles`
 */
export function relativeHeight(positions: Float64Array, triangles: Uint32Array, offset: number): number {
  const a = triangles[offset] * 3;
  const b = triangles[offset + 1] * 3;
  const c = triangles[offset + 2] * 3;
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  const wx = vx - ux;
  const wy = vy - uy;
  const wz = vz - uz;
  const longestSquared = Math.max(
    ux * ux + uy * uy + uz * uz,
    vx * vx + vy * vy + vz * vz,
    wx * wx + wy * wy + wz * wz,
  );
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  return longestSquared > 0 ? Math.sqrt(nx * nx + ny * ny + nz * nz) / longestSquared : 0;
}
