import { LEAF_SIZE, type TriangleTree } from './triangle-tree.js';

/** Calls `visit` once for each pair of different triangles whose boxes touch. Stops where it answers false. */
export function visitClosePairs(tree: TriangleTree, visit: (a: number, b: number) => boolean): void {
  const { leafBase, nodeBoxes } = tree;
  // Pairs of nodes still to look at, both on the same level; a node paired with itself stands for the pairs within it.
  const stack = [1, 1];
  while (stack.length > 0) {
    const b = stack.pop() ?? 0; // never empty here: entries come in pairs
    const a = stack.pop() ?? 0;
    if (a !== b && !doBoxesTouch(nodeBoxes, a * 6, b * 6)) continue;
    if (a >= leafBase) {
      if (!visitLeaves(tree, a - leafBase, b - leafBase, visit)) return;
    } else if (a === b) stack.push(a * 2, a * 2, a * 2 + 1, a * 2 + 1, a * 2, a * 2 + 1);
    else stack.push(a * 2, b * 2, a * 2, b * 2 + 1, a * 2 + 1, b * 2, a * 2 + 1, b * 2 + 1);
  }
}

function visitLeaves(tree: TriangleTree, a: number, b: number, visit: (a: number, b: number) => boolean): boolean {
  const { order, boxes } = tree;
  const endOfA = Math.min(order.length, (a + 1) * LEAF_SIZE);
  const endOfB = Math.min(order.length, (b + 1) * LEAF_SIZE);
  for (let i = a * LEAF_SIZE; i < endOfA; i++) {
    for (let j = a === b ? i + 1 : b * LEAF_SIZE; j < endOfB; j++) {
      if (doBoxesTouch(boxes, i * 6, j * 6) && !visit(order[i], order[j])) return false;
    }
  }
  return true;
}

function doBoxesTouch(boxes: Float32Array, a: number, b: number): boolean {
  return (
    boxes[a] <= boxes[b + 3] &&
    boxes[b] <= boxes[a + 3] &&
    boxes[a + 1] <= boxes[b + 4] &&
    boxes[b + 1] <= boxes[a + 4] &&
    boxes[a + 2] <= boxes[b + 5] &&
    boxes[b + 2] <= boxes[a + 5]
  );
}
