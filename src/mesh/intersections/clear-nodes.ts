import type { MeshGeometry } from '../mesh.js';
import { type Bvh, LEAF_SIZE } from '../spatial/triangle-tree.js';
import { triangleOf } from '../topology/half-edge.js';
import { findFacings } from './facings.js';
import { isPlainBorder } from './plain-border.js';

/** Larger nodes have fewer triangles near their borders, and are looked at in vain more often. */
const MOST_TRIANGLES = 16_384;
/** The pairs in a smaller one are tested as fast as its border; so are those in a ragged one, whose border has more edges than it has triangles. */
const LEAST_TRIANGLES = 32;

/**
 * node of a tree → 1 where no two triangles in it meet but along what they share: seen along some axis they lie side by side, as on paper. Exact
 * where it says 1. On most surfaces nearly all pairs of triangles that are near each other lie in such a node, and need no test of their own.
 * Nodes below a marked one are not looked at. `twins` are those of the mesh, as `findTwins` gives them.
 */
export function markClearNodes(mesh: MeshGeometry, tree: Bvh, twins: Int32Array): Uint8Array {
  const { order, firstLeaf } = tree;
  const isClear = new Uint8Array(firstLeaf * 2);
  const facings = findFacings(mesh, tree);
  const placeOf = new Uint32Array(order.length); // triangle → place
  for (let place = 0; place < order.length; place++) placeOf[order[place]] = place;
  const border = new Uint32Array(Math.min(order.length, MOST_TRIANGLES) * 3);
  const stack = [1];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const leafCount = firstLeaf >> (31 - Math.clz32(node)); // half as many on each level
    const first = (node * leafCount - firstLeaf) * LEAF_SIZE;
    const end = Math.min(first + leafCount * LEAF_SIZE, order.length);
    if (end - first < LEAST_TRIANGLES) continue;
    if (facings[node] !== 0 && end - first <= MOST_TRIANGLES) {
      const count = writeBorder(order, placeOf, twins, first, end, border);
      if (count <= end - first && isPlain(mesh, border.subarray(0, count), facings[node])) {
        isClear[node] = 1;
        continue;
      }
    }
    if (node < firstLeaf) stack.push(node * 2, node * 2 + 1);
  }
  return isClear;
}

/** Writes the half-edges of the triangles from place `first` to before `end` whose twins are not among theirs; answers how many. */
function writeBorder(
  order: Uint32Array,
  placeOf: Uint32Array,
  twins: Int32Array,
  first: number,
  end: number,
  border: Uint32Array,
): number {
  let count = 0;
  for (let place = first; place < end; place++) {
    const h = order[place] * 3;
    for (let k = 0; k < 3; k++) {
      const twin = twins[h + k];
      const other = twin < 0 ? -1 : placeOf[triangleOf(twin)];
      if (other < first || other >= end) border[count++] = h + k;
    }
  }
  return count;
}

/** Whether a patch with this border lies side by side as seen from one of the directions that all of it faces. */
function isPlain({ positions, triangles }: MeshGeometry, border: Uint32Array, facings: number): boolean {
  for (let axis = 0; axis < 3; axis++) {
    const u = (axis + 1) % 3;
    const v = (axis + 2) % 3;
    const directions = facings >> (axis * 2);
    if ((directions & 1) !== 0 && isPlainBorder(positions, triangles, border, u, v)) return true;
    if ((directions & 2) !== 0 && isPlainBorder(positions, triangles, border, v, u)) return true;
  }
  return false;
}
