import type { MeshGeometry } from '../mesh.js';
import { areCollinear } from './predicates.js';

/** What floating point takes for flatter than this is looked at exactly. */
const DOUBTFUL_HEIGHT = 1e-12;

/** triangle → 1 where it has no area at all: two equal corners, or all three exactly on a line */
export function markFlatTriangles({ positions, triangles }: MeshGeometry): Uint8Array {
  const isFlat = new Uint8Array(triangles.length / 3);
  for (let triangle = 0; triangle < isFlat.length; triangle++) {
    const at = triangle * 3;
    if (relativeHeight(positions, triangles, at) > DOUBTFUL_HEIGHT) continue;
    if (areCollinear(positions, triangles[at], triangles[at + 1], triangles[at + 2])) isFlat[triangle] = 1;
  }
  return isFlat;
}

/** The height of the triangle whose first corner stands at `at`, as a share of its longest side; 0 without extent. */
export function relativeHeight(positions: Float64Array, triangles: Uint32Array, at: number): number {
  const a = triangles[at] * 3;
  const b = triangles[at + 1] * 3;
  const c = triangles[at + 2] * 3;
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
