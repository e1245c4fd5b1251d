import type { Box3 } from '../core/mesh.js';

/** Computes the axis-aligned bounds of the vertices. Returns zeros if there are none. */
export function computeBounds(positions: Float64Array): Box3 {
  if (positions.length === 0) return { min: [0, 0, 0], max: [0, 0, 0] };
  let [minX, minY, minZ] = positions;
  let [maxX, maxY, maxZ] = positions;
  for (let i = 0; i < positions.length; i += 3) {
    const x = positions[i];
    const y = positions[i + 1];
    const z = positions[i + 2];
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
    if (z < minZ) minZ = z;
    if (z > maxZ) maxZ = z;
  }
  return { min: [minX, minY, minZ], max: [maxX, maxY, maxZ] };
}

/** Returns the length of the diagonal of a box. */
export function diagonalOf({ min, max }: Box3): number {
  return Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
}

/** Returns the length of the longest side of a box. */
export function maxExtentOf({ min, max }: Box3): number {
  return Math.max(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
}

/** Returns whether two boxes have a point in common. */
export function boxesOverlap(one: Box3, other: Box3): boolean {
  return [0, 1, 2].every((k) => one.min[k] <= other.max[k] && one.max[k] >= other.min[k]);
}
