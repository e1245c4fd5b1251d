import { type Boxes, type Bvh, LEAF_SIZE } from './bvh.js';

/** Capacity for pending pairs of nodes: each of at most 32 levels adds at most six entries. */
const STACK_SIZE = 512;

/** Two nodes on the same level. A node paired with itself stands for the pairs within it. */
export type NodePair = readonly [a: number, b: number];

const ROOT_PAIR: NodePair = [1, 1];

/**
 * Lists the pairs of nodes on the level of `firstNode`, its leftmost node, whose boxes touch: first each node with
 * itself. Each pair of triangles whose boxes touch is below one of them. Returns `undefined` if there are more than
 * `maxPairs`.
 */
export function listNodePairs({ nodeBoxes }: Bvh, firstNode: number, maxPairs: number): NodePair[] | undefined {
  if (firstNode > maxPairs) return undefined;
  const pairs: NodePair[] = [];
  for (let node = firstNode; node < firstNode * 2; node++) pairs.push([node, node]);
  for (let a = firstNode; a < firstNode * 2; a++) {
    for (let b = a + 1; b < firstNode * 2; b++) {
      if (!boxesOverlap(nodeBoxes, a * 6, nodeBoxes, b * 6)) continue;
      if (pairs.length === maxPairs) return undefined;
      pairs.push([a, b]);
    }
  }
  return pairs;
}

/**
 * Calls `visit` once for each pair of different triangles whose boxes touch. Stops if it returns false.
 *
 * @param isPruned node → 1 if pairs within it are skipped. Default: none.
 * @param isRelevant triangle → 1 if it is relevant: pairs without a relevant triangle are skipped. Default: all.
 * @param pair the nodes below which the pairs are. Default: the root with itself.
 * @param areApart returns whether the pairs between two nodes above the leaves are skipped. Default: none.
 */
export function forEachOverlappingPair(
  tree: Bvh,
  visit: (a: number, b: number) => boolean,
  isPruned?: Uint8Array,
  isRelevant?: Uint8Array,
  pair: NodePair = ROOT_PAIR,
  areApart?: (a: number, b: number) => boolean,
): void {
  const { firstLeaf, nodeBoxes } = tree;
  const isRelevantNode = isRelevant && markNodes(tree, isRelevant);
  const stack = new Int32Array(STACK_SIZE); // pairs of nodes whose boxes touch
  stack.set(pair);
  let stackSize = 2;
  const push = (a: number, b: number): void => {
    if (a !== b && !boxesOverlap(nodeBoxes, a * 6, nodeBoxes, b * 6)) return;
    stack[stackSize++] = a;
    stack[stackSize++] = b;
  };
  while (stackSize > 0) {
    const b = stack[--stackSize];
    const a = stack[--stackSize];
    if (a === b && isPruned?.[a] === 1) continue;
    if (isRelevantNode && isRelevantNode[a] === 0 && isRelevantNode[b] === 0) continue;
    if (a >= firstLeaf) {
      if (!visitLeaves(tree, a, b, visit, isRelevant)) return;
      continue;
    }
    if (a !== b && areApart?.(a, b)) continue;
    push(a * 2, b * 2);
    push(a * 2, b * 2 + 1);
    if (a !== b) push(a * 2 + 1, b * 2);
    push(a * 2 + 1, b * 2 + 1);
  }
}

/** Marks the nodes that contain a marked triangle (node → 1). */
function markNodes({ order, firstLeaf }: Bvh, isMarked: Uint8Array): Uint8Array {
  const isMarkedNode = new Uint8Array(firstLeaf * 2);
  for (let slot = 0; slot < order.length; slot++)
    if (isMarked[order[slot]] === 1) isMarkedNode[firstLeaf + Math.floor(slot / LEAF_SIZE)] = 1;
  for (let node = firstLeaf - 1; node > 0; node--)
    isMarkedNode[node] = isMarkedNode[node * 2] | isMarkedNode[node * 2 + 1];
  return isMarkedNode;
}

/** Visits the pairs of leaves `a` and `b`. Returns false if `visit` did. */
function visitLeaves(
  tree: Bvh,
  a: number,
  b: number,
  visit: (a: number, b: number) => boolean,
  isRelevant?: Uint8Array,
): boolean {
  const { order, boxes, nodeBoxes, firstLeaf } = tree;
  const firstOfB = (b - firstLeaf) * LEAF_SIZE;
  const endOfA = Math.min(order.length, (a - firstLeaf + 1) * LEAF_SIZE);
  const endOfB = Math.min(order.length, firstOfB + LEAF_SIZE);
  for (let i = (a - firstLeaf) * LEAF_SIZE; i < endOfA; i++) {
    // Most triangles of a leaf do not touch the other leaf's box.
    if (a !== b && !boxesOverlap(boxes, i * 6, nodeBoxes, b * 6)) continue;
    for (let j = a === b ? i + 1 : firstOfB; j < endOfB; j++) {
      if (isRelevant && isRelevant[order[i]] === 0 && isRelevant[order[j]] === 0) continue;
      if (boxesOverlap(boxes, i * 6, boxes, j * 6) && !visit(order[i], order[j])) return false;
    }
  }
  return true;
}

/** Returns whether the box at offset `a` of `boxes` touches the box at offset `b` of `others`. */
function boxesOverlap(boxes: Boxes, a: number, others: Boxes, b: number): boolean {
  return (
    boxes[a] <= others[b + 3] &&
    others[b] <= boxes[a + 3] &&
    boxes[a + 1] <= others[b + 4] &&
    others[b + 1] <= boxes[a + 4] &&
    boxes[a + 2] <= others[b + 5] &&
    others[b + 2] <= boxes[a + 5]
  );
}
