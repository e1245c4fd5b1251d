import type { MeshGeometry } from '../core/mesh.js';
import { areCollinear } from './predicates.js';

/** What floating point takes for flatter than this is looked at exactly. */
const EXACT_TEST_HEIGHT = 1e-12;

/** triangle → 1 where it has no area at all: two equal corners, or all three exactly on a line */
export function markDegenerateTriangles({ positions, triangles }: MeshGeometry): Uint8Array {
  const isDegenerate = new Uint8Array(triangles.length / 3);
  for (let triangle = 0; triangle < isDegenerate.length; triangle++) {
    const offset = triangle * 3;
    if (relativeHeight(positions, triangles, offset) > EXACT_TEST_HEIGHT) continue;
    if (areCollinear(positions, triangles[offset], triangles[offset + 1], triangles[offset + 2]))
      isDegenerate[triangle] = 1;
  }
  return isDegenerate;
}

/** The height of the triangle whose first corner stands at `offset`, as a share of its longest side; 0 without extent. */
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
  const side = Math.max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz);
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  return side > 0 ? Math.sqrt(nx * nx + ny * ny + nz * nz) / side : 0;
}
