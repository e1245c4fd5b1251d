import { type Boxes, type Bvh, LEAF_SIZE } from './bvh.js';

/** Capacity for pending pairs of nodes: each of at most 32 levels adds at most six entries. */
const STACK_SIZE = 512;
/** The group of a node without triangles, and of one with triangles of several groups. */
const EMPTY = -1;
const MIXED = -2;

/**
 * Calls `visit` once for each pair of triangles of different groups whose boxes are within `marginMm` of each other, along
 * each axis. Stops if it returns false. Skips nodes of the same group, so that groups that are apart cost little.
 *
 * @param groupOf triangle → group, from 0 on
 */
export function forEachPairBetweenGroups(
  tree: Bvh,
  groupOf: Uint32Array,
  marginMm: number,
  visit: (a: number, b: number) => boolean,
): void {
  const { order, boxes, nodeBoxes, firstLeaf } = tree;
  const groupOfNode = groupNodes(tree, groupOf);
  const stack = new Int32Array(STACK_SIZE); // pairs of nodes
  stack.fill(1, 0, 2);
  let stackSize = 2;
  const push = (a: number, b: number): void => {
    const groupOfA = groupOfNode[a];
    const groupOfB = groupOfNode[b];
    if (groupOfA === EMPTY || groupOfB === EMPTY || (groupOfA === groupOfB && groupOfA !== MIXED)) return;
    if (a !== b && !areNear(nodeBoxes, a * 6, b * 6, marginMm)) return;
    stack[stackSize++] = a;
    stack[stackSize++] = b;
  };
  while (stackSize > 0) {
    const b = stack[--stackSize];
    const a = stack[--stackSize];
    if (a < firstLeaf) {
      push(a * 2, b * 2);
      push(a * 2, b * 2 + 1);
      if (a !== b) push(a * 2 + 1, b * 2);
      push(a * 2 + 1, b * 2 + 1);
      continue;
    }
    const firstOfB = (b - firstLeaf) * LEAF_SIZE;
    const endOfB = Math.min(order.length, firstOfB + LEAF_SIZE);
    for (let i = (a - firstLeaf) * LEAF_SIZE; i < Math.min(order.length, (a - firstLeaf + 1) * LEAF_SIZE); i++) {
      for (let j = a === b ? i + 1 : firstOfB; j < endOfB; j++) {
        if (groupOf[order[i]] === groupOf[order[j]] || !areNear(boxes, i * 6, j * 6, marginMm)) continue;
        if (!visit(order[i], order[j])) return;
      }
    }
  }
}

/** node → the group of all of its triangles, `EMPTY` or `MIXED` */
function groupNodes({ order, firstLeaf }: Bvh, groupOf: Uint32Array): Int32Array {
  const groups = new Int32Array(firstLeaf * 2);
  for (let leaf = 0; leaf < firstLeaf; leaf++) {
    const end = Math.min(order.length, (leaf + 1) * LEAF_SIZE);
    let group = leaf * LEAF_SIZE < end ? groupOf[order[leaf * LEAF_SIZE]] : EMPTY;
    for (let slot = leaf * LEAF_SIZE + 1; slot < end; slot++) if (groupOf[order[slot]] !== group) group = MIXED;
    groups[firstLeaf + leaf] = group;
  }
  for (let node = firstLeaf - 1; node > 0; node--) {
    const left = groups[node * 2];
    const right = groups[node * 2 + 1];
    groups[node] = left === right || right === EMPTY ? left : MIXED; // the empty leaves are the last ones
  }
  return groups;
}

/** Returns whether the boxes at two offsets are within a margin of each other, along each axis. */
function areNear(boxes: Boxes, a: number, b: number, marginMm: number): boolean {
  return (
    boxes[a] <= boxes[b + 3] + marginMm &&
    boxes[b] <= boxes[a + 3] + marginMm &&
    boxes[a + 1] <= boxes[b + 4] + marginMm &&
    boxes[b + 1] <= boxes[a + 4] + marginMm &&
    boxes[a + 2] <= boxes[b + 5] + marginMm &&
    boxes[b + 2] <= boxes[a + 5] + marginMm
  );
}
