import { type Boxes, type Bvh, LEAF_SIZE } from './bvh.js';

/** Widens the comparisons by more than their rounding error, as a fraction of the products. */
const ROUNDING_TOLERANCE = 1e-14;

/**
 * Calls `visit` with each triangle whose box is within `margin` of the segment between two points, along each axis. May
 * include triangles slightly farther away.
 */
export function forEachTriangleNearSegment(
  tree: Bvh,
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  margin: number,
  visit: (triangle: number) => void,
): void {
  const { order, firstLeaf, nodeBoxes, boxes } = tree;
  const center = Float64Array.of((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, (from[2] + to[2]) / 2);
  const half = Float64Array.of((to[0] - from[0]) / 2, (to[1] - from[1]) / 2, (to[2] - from[2]) / 2);
  const stack = [1];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isBoxNear(nodeBoxes, node * 6, center, half, margin)) continue;
    if (node < firstLeaf) {
      stack.push(node * 2 + 1, node * 2);
      continue;
    }
    const first = (node - firstLeaf) * LEAF_SIZE;
    const end = Math.min(order.length, first + LEAF_SIZE);
    for (let slot = first; slot < end; slot++) if (isBoxNear(boxes, slot * 6, center, half, margin)) visit(order[slot]);
  }
}

/**
 * Whether a segment intersects a box that is wider by `margin` on each side (separating axis theorem).
 *
 * @param half the vector from the center of the segment to its end
 */
function isBoxNear(boxes: Boxes, offset: number, center: Float64Array, half: Float64Array, margin: number): boolean {
  const ex = (boxes[offset + 3] - boxes[offset]) / 2 + margin;
  const dx = (boxes[offset + 3] + boxes[offset]) / 2 - center[0];
  const hx = Math.abs(half[0]);
  if (!(Math.abs(dx) <= ex + hx)) return false; // also if the box is empty
  const ey = (boxes[offset + 4] - boxes[offset + 1]) / 2 + margin;
  const dy = (boxes[offset + 4] + boxes[offset + 1]) / 2 - center[1];
  const hy = Math.abs(half[1]);
  if (!(Math.abs(dy) <= ey + hy)) return false;
  const ez = (boxes[offset + 5] - boxes[offset + 2]) / 2 + margin;
  const dz = (boxes[offset + 5] + boxes[offset + 2]) / 2 - center[2];
  const hz = Math.abs(half[2]);
  if (!(Math.abs(dz) <= ez + hz)) return false;
  return (
    isWithin(dy * half[2], dz * half[1], ey * hz + ez * hy) &&
    isWithin(dz * half[0], dx * half[2], ez * hx + ex * hz) &&
    isWithin(dx * half[1], dy * half[0], ex * hy + ey * hx)
  );
}

function isWithin(one: number, other: number, limit: number): boolean {
  return Math.abs(one - other) <= limit + (Math.abs(one) + Math.abs(other)) * ROUNDING_TOLERANCE;
}
