import type { MeshGeometry } from '../core/mesh.js';
import { type Bvh, LEAF_SIZE, leavesBelow } from '../spatial/bvh.js';

/** One bit per direction: x, -x, y, -y, z, -z. */
const ALL_DIRECTIONS = 0b111111;
/** Error bound of orient2d, as a fraction of the sum of the absolute products (bound A of Shewchuk 1997). */
const ORIENT2D_ERROR_BOUND = (3 + 16 * 2 ** -53) * 2 ** -53;

/**
 * Computes the directions that all triangles of each BVH node face (node → bit mask): projected along the direction,
 * all are certainly counterclockwise. Conservative: a triangle within the rounding error faces neither way.
 *
 * @param facingMasks receives the result
 * @param root only this node and its descendants are computed. Default: all.
 */
export function computeFacingMasks(
  { positions, triangles }: MeshGeometry,
  { order, firstLeaf }: Bvh,
  facingMasks: Uint8Array = new Uint8Array(firstLeaf * 2),
  root = 1,
): Uint8Array {
  let { first, end } = leavesBelow(root, firstLeaf);
  facingMasks.fill(ALL_DIRECTIONS, first, end);
  const endSlot = Math.min(order.length, (end - firstLeaf) * LEAF_SIZE);
  for (let slot = (first - firstLeaf) * LEAF_SIZE; slot < endSlot; slot++) {
    facingMasks[firstLeaf + Math.floor(slot / LEAF_SIZE)] &= computeFacingMask(positions, triangles, order[slot] * 3);
  }
  while (first > root) {
    first /= 2;
    end /= 2;
    for (let node = first; node < end; node++) facingMasks[node] = facingMasks[node * 2] & facingMasks[node * 2 + 1];
  }
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
