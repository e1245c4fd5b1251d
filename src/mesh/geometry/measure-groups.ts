import type { MeshGeometry } from '../core/mesh.js';
import { computeBounds } from './bounds.js';

/** Area and signed volume of each group of triangles. */
export interface GroupMeasures {
  /** group → area */
  areaMm2: Float64Array;
  /**
   * group → signed volume, positive if its triangles face outward. Of an open group: the volume that it encloses
   * together with the cone from its boundary to the center of the mesh bounds.
   */
  volumeMm3: Float64Array;
}

/**
 * Computes the area and the signed volume of groups of triangles. `groupOf`: triangle → group. Volumes are summed
 * relative to the center of the bounds, to keep precision far from the origin.
 */
export function measureGroups(mesh: MeshGeometry, groupOf: Uint32Array, groupCount: number): GroupMeasures {
  const { positions, triangles } = mesh;
  const { min, max } = computeBounds(positions);
  const [ox, oy, oz] = [0, 1, 2].map((k) => min[k] / 2 + max[k] / 2);
  const areaMm2 = new Float64Array(groupCount);
  const volumeMm3 = new Float64Array(groupCount);
  for (let offset = 0; offset < triangles.length; offset += 3) {
    const a = triangles[offset] * 3;
    const b = triangles[offset + 1] * 3;
    const c = triangles[offset + 2] * 3;
    const ax = positions[a] - ox;
    const ay = positions[a + 1] - oy;
    const az = positions[a + 2] - oz;
    const ux = positions[b] - ox - ax;
    const uy = positions[b + 1] - oy - ay;
    const uz = positions[b + 2] - oz - az;
    const vx = positions[c] - ox - ax;
    const vy = positions[c + 1] - oy - ay;
    const vz = positions[c + 2] - oz - az;
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const group = groupOf[offset / 3];
    areaMm2[group] += Math.sqrt(nx * nx + ny * ny + nz * nz) / 2;
    volumeMm3[group] += (ax * nx + ay * ny + az * nz) / 6;
  }
  return { areaMm2, volumeMm3 };
}
