import type { MeshGeometry } from '../core/mesh.js';
import { type Bvh, LEAF_SIZE } from '../spatial/bvh.js';

/** One bit per direction: x, -x, y, -y, z, -z. */
const ALL_DIRECTIONS = 0b111111;
/** Error bound of orient2d, as a fraction of the sum of the absolute products (bound A of Shewchuk 1997). */
const ORIENT2D_ERROR_BOUND = (3 + 16 * 2 ** -53) * 2 ** -53;

/**
 * Computes the directions that all triangles of each BVH node face (node → bit mask): projected along the direction,
 * all are certainly counterclockwise. Conservative: a triangle within the rounding error faces neither way.
 */
export function computeFacingMasks({ positions, triangles }: MeshGeometry, { order, firstLeaf }: Bvh): Uint8Array {
  const facingMasks = new Uint8Array(firstLeaf * 2).fill(ALL_DIRECTIONS);
  for (let slot = 0; slot < order.length; slot++) {
    facingMasks[firstLeaf + Math.floor(slot / LEAF_SIZE)] &= computeFacingMask(positions, triangles, order[slot] * 3);
  }
  for (let node = firstLeaf - 1; node > 0; node--)
    facingMasks[node] = facingMasks[node * 2] & facingMasks[node * 2 + 1];
  return facingMasks;
}

/** Computes the directions that a triangle faces, from the signs of its normal. */
function computeFacingMask(positions: Float64Array, triangles: Uint32Array, offset: number): number {
  const a = triangles[offset] * 3;
  const b = triangles[offset + 1] * 3;
  const c = triangles[offset + 2] * 3;
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  return certainSign(uy * vz, uz * vy) | (certainSign(uz * vx, ux * vz) << 2) | (certainSign(ux * vy, uy * vx) << 4);
}

/** Returns 1 if `left - right` is certainly positive, 2 if certainly negative, else 0. */
function certainSign(left: number, right: number): number {
  const difference = left - right;
  const error = (Math.abs(left) + Math.abs(right)) * ORIENT2D_ERROR_BOUND;
  return difference > error ? 1 : difference < -error ? 2 : 0;
}
