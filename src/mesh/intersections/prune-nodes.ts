import type { MeshGeometry } from '../core/mesh.js';
import { type Bvh, LEAF_SIZE, leavesBelow } from '../spatial/bvh.js';
import { triangleOf } from '../topology/half-edge.js';
import { hasInjectiveProjection } from './contour-test.js';
import { computeFacingMasks } from './facing-masks.js';

/** Larger nodes are not tested: they fail more often, and save few pairs beyond those of their children. */
export const MAX_NODE_TRIANGLES = 16_384;
/**
 * Smaller nodes are not tested: testing their pairs is as fast as testing their contour. For the same reason, patches
 * whose contour has more edges than the patch has triangles are skipped.
 */
const MIN_NODE_TRIANGLES = 32;

/**
 * Marks the BVH nodes whose triangles cannot intersect each other (node → 1), by the contour test (Volino &
 * Magnenat-Thalmann 1994). Marks are exact. An unmarked node may or may not have intersections. Descendants of a marked
 * node are not marked.
 *
 * On most surfaces, nearly all pairs of triangles with touching boxes are in a marked node and need no test of their
 * own.
 *
 * @param tree the BVH of `mesh`
 * @param twins half-edge → twin
 */
export function markNonSelfIntersectingNodes(mesh: MeshGeometry, tree: Bvh, twins: Int32Array): Uint8Array {
  const [isPruned, facingMasks] = [new Uint8Array(tree.firstLeaf * 2), new Uint8Array(tree.firstLeaf * 2)];
  pruneBelow(1, mesh, tree, { twins, slotOf: invertOrder(tree.order), isPruned, facingMasks });
  return isPruned;
}

/** What the contour test of nodes needs besides the mesh and its BVH. */
export interface Pruning {
  /** half-edge → twin */
  twins: Int32Array;
  /** triangle → slot */
  slotOf: Uint32Array;
  /** node → 1 if it is marked */
  isPruned: Uint8Array;
  /** node → directions that its triangles face. Overwritten before it is read. */
  facingMasks: Uint8Array;
}

/** Returns triangle → slot. `order`: slot → triangle. `slotOf`: receives the result. */
export function invertOrder(order: Uint32Array, slotOf: Uint32Array = new Uint32Array(order.length)): Uint32Array {
  for (let slot = 0; slot < order.length; slot++) slotOf[order[slot]] = slot;
  return slotOf;
}

/** Marks nodes as `markNonSelfIntersectingNodes`: `root` and its descendants only. */
export function pruneBelow(root: number, mesh: MeshGeometry, tree: Bvh, pruning: Pruning): void {
  const { order, firstLeaf } = tree;
  const { twins, slotOf, isPruned } = pruning;
  const facingMasks = computeFacingMasks(mesh, tree, pruning.facingMasks, root);
  const contour = new Uint32Array(Math.min(order.length, MAX_NODE_TRIANGLES) * 3);
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const leaves = leavesBelow(node, firstLeaf);
    const first = (leaves.first - firstLeaf) * LEAF_SIZE;
    const end = Math.min((leaves.end - firstLeaf) * LEAF_SIZE, order.length);
    if (end - first < MIN_NODE_TRIANGLES) continue;
    if (facingMasks[node] !== 0 && end - first <= MAX_NODE_TRIANGLES) {
      const count = writeContour(order, slotOf, twins, first, end, contour);
      if (count <= end - first && passesContourTest(mesh, contour.subarray(0, count), facingMasks[node])) {
        isPruned[node] = 1;
        continue;
      }
    }
    if (node < firstLeaf) stack.push(node * 2, node * 2 + 1);
  }
}

/**
 * Writes the half-edges of the triangles in the slots from `first` to before `end` whose twins are not in these slots.
 * Returns their number.
 */
function writeContour(
  order: Uint32Array,
  slotOf: Uint32Array,
  twins: Int32Array,
  first: number,
  end: number,
  contour: Uint32Array,
): number {
  let count = 0;
  for (let slot = first; slot < end; slot++) {
    const h = order[slot] * 3;
    for (let k = 0; k < 3; k++) {
      const twin = twins[h + k];
      const other = twin < 0 ? -1 : slotOf[triangleOf(twin)];
      if (other < first || other >= end) contour[count++] = h + k;
    }
  }
  return count;
}

/** Returns whether a patch passes the contour test in one of the directions that all of its triangles face. */
function passesContourTest({ positions, triangles }: MeshGeometry, contour: Uint32Array, facingMask: number): boolean {
  for (let axis = 0; axis < 3; axis++) {
    const u = (axis + 1) % 3;
    const v = (axis + 2) % 3;
    const directions = facingMask >> (axis * 2);
    if ((directions & 1) !== 0 && hasInjectiveProjection(positions, triangles, contour, u, v)) return true;
    if ((directions & 2) !== 0 && hasInjectiveProjection(positions, triangles, contour, v, u)) return true;
  }
  return false;
}
