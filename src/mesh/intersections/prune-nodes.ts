import type { MeshGeometry } from '../core/mesh.js';
import { type Bvh, LEAF_SIZE } from '../spatial/bvh.js';
import { triangleOf } from '../topology/half-edge.js';
import { hasInjectiveProjection } from './contour-test.js';
import { computeFacingMasks } from './facing-masks.js';

/** Larger nodes have fewer triangles near their borders, and are looked at in vain more often. */
const MAX_NODE_TRIANGLES = 16_384;
/** The pairs in a smaller one are tested as fast as its border; so are those in a ragged one, whose border has more edges than it has triangles. */
const MIN_NODE_TRIANGLES = 32;

/**
 * node of a tree → 1 where no two triangles in it meet but along what they share: seen along some axis they lie side by side, as on paper. Exact
 * where it says 1. On most surfaces nearly all pairs of triangles that are near each other lie in such a node, and need no test of their own.
 * Nodes below a marked one are not looked at. `twins` are those of the mesh, as `findTwins` gives them.
 */
export function markNonSelfIntersectingNodes(mesh: MeshGeometry, tree: Bvh, twins: Int32Array): Uint8Array {
  const { order, firstLeaf } = tree;
  const cannotIntersect = new Uint8Array(firstLeaf * 2);
  const facings = computeFacingMasks(mesh, tree);
  const placeOf = new Uint32Array(order.length); // triangle → place
  for (let slot = 0; slot < order.length; slot++) placeOf[order[slot]] = slot;
  const contour = new Uint32Array(Math.min(order.length, MAX_NODE_TRIANGLES) * 3);
  const stack = [1];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const leafCount = firstLeaf >> (31 - Math.clz32(node)); // half as many on each level
    const first = (node * leafCount - firstLeaf) * LEAF_SIZE;
    const end = Math.min(first + leafCount * LEAF_SIZE, order.length);
    if (end - first < MIN_NODE_TRIANGLES) continue;
    if (facings[node] !== 0 && end - first <= MAX_NODE_TRIANGLES) {
      const count = writeContour(order, placeOf, twins, first, end, contour);
      if (count <= end - first && passesContourTest(mesh, contour.subarray(0, count), facings[node])) {
        cannotIntersect[node] = 1;
        continue;
      }
    }
    if (node < firstLeaf) stack.push(node * 2, node * 2 + 1);
  }
  return cannotIntersect;
}

/** Writes the half-edges of the triangles from place `first` to before `end` whose twins are not among theirs; answers how many. */
function writeContour(
  order: Uint32Array,
  placeOf: Uint32Array,
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
      const other = twin < 0 ? -1 : placeOf[triangleOf(twin)];
      if (other < first || other >= end) contour[count++] = h + k;
    }
  }
  return count;
}

/** Whether a patch with this border lies side by side as seen from one of the directions that all of it faces. */
function passesContourTest({ positions, triangles }: MeshGeometry, contour: Uint32Array, facings: number): boolean {
  for (let axis = 0; axis < 3; axis++) {
    const u = (axis + 1) % 3;
    const v = (axis + 2) % 3;
    const directions = facings >> (axis * 2);
    if ((directions & 1) !== 0 && hasInjectiveProjection(positions, triangles, contour, u, v)) return true;
    if ((directions & 2) !== 0 && hasInjectiveProjection(positions, triangles, contour, v, u)) return true;
  }
  return false;
}
