import type { IndexedMesh } from '../mesh.js';

const LEAF_SIZE = 4;
const MORTON_BITS = 10;

/** A hierarchy of boxes over the triangles of a mesh. */
export interface TriangleTree {
  /** leaf position → triangle */
  order: Uint32Array;
  /** node → its box: minimum x, y, z, maximum x, y, z. Node 1 is the root; those below node i are 2i and 2i + 1. */
  boxes: Float64Array;
  /** The number of leaves, a power of two; leaf i is node `leafCount + i` and holds positions `i * 4` to `i * 4 + 3`. */
  leafCount: number;
}

/**
 * Builds the hierarchy by sorting triangles along a Morton curve (Lauterbach et al., "Fast BVH Construction on GPUs", 2009).
 * Building takes a tenth of the time of one that weighs surface areas, and queries of closed surfaces are no slower.
 */
export function buildTriangleTree(mesh: IndexedMesh): TriangleTree {
  const triangleCount = mesh.triangles.length / 3;
  const order = sortByCode(mortonCodes(mesh));
  let leafCount = 1;
  while (leafCount * LEAF_SIZE < triangleCount) leafCount *= 2;
  const boxes = new Float64Array(leafCount * 2 * 6);
  for (let leaf = 0; leaf < leafCount; leaf++) {
    const count = Math.min(LEAF_SIZE, triangleCount - leaf * LEAF_SIZE);
    setBox(mesh, order, leaf * LEAF_SIZE, count, boxes, (leafCount + leaf) * 6);
  }
  for (let node = leafCount - 1; node > 0; node--) joinBoxes(boxes, node);
  return { order, boxes, leafCount };
}

/**
 * Calls `visit` once for each pair of different triangles whose boxes touch. Stops where `visit` answers false.
 */
export function visitClosePairs(mesh: IndexedMesh, tree: TriangleTree, visit: (a: number, b: number) => boolean): void {
  const { order, boxes, leafCount } = tree;
  // Boxes of the triangles of the two leaves at hand, the first leaf's before the second's.
  const own = new Float64Array(LEAF_SIZE * 2 * 6);
  const setOwnBoxes = (leaf: number, place: number): number => {
    const count = Math.min(LEAF_SIZE, order.length - leaf * LEAF_SIZE);
    for (let i = 0; i < count; i++) setBox(mesh, order, leaf * LEAF_SIZE + i, 1, own, (place + i) * 6);
    return count;
  };
  let loaded = -1;
  const visitLeaves = (a: number, b: number): boolean => {
    if (a !== loaded) setOwnBoxes(a, 0);
    loaded = a;
    const countOfA = Math.min(LEAF_SIZE, order.length - a * LEAF_SIZE);
    const countOfB = setOwnBoxes(b, LEAF_SIZE);
    for (let i = 0; i < countOfA; i++)
      for (let j = a === b ? i + 1 : 0; j < countOfB; j++)
        if (doOverlap(own, i * 6, (LEAF_SIZE + j) * 6) && !visit(order[a * LEAF_SIZE + i], order[b * LEAF_SIZE + j]))
          return false;
    return true;
  };

  // Pairs of nodes still to look at; a node paired with itself stands for the pairs within it.
  const stack: number[] = [1, 1];
  while (stack.length > 0) {
    const second = stack.pop() ?? 0;
    const first = stack.pop() ?? 0;
    if (first !== second && !doOverlap(boxes, first * 6, second * 6)) continue;
    if (first < leafCount) {
      const [a, b] = [first * 2, second * 2];
      if (first !== second) stack.push(a + 1, b);
      stack.push(a + 1, b + 1, a, b + 1, a, b);
    } else if (!visitLeaves(first - leafCount, second - leafCount)) return;
  }
}

function doOverlap(boxes: Float64Array, a: number, b: number): boolean {
  return (
    boxes[a] <= boxes[b + 3] &&
    boxes[b] <= boxes[a + 3] &&
    boxes[a + 1] <= boxes[b + 4] &&
    boxes[b + 1] <= boxes[a + 4] &&
    boxes[a + 2] <= boxes[b + 5] &&
    boxes[b + 2] <= boxes[a + 5]
  );
}

/** Writes the box of `count` triangles from a position of `order` on: an empty one, minimum above maximum, where there are none. */
function setBox(
  { positions, triangles }: IndexedMesh,
  order: Uint32Array,
  first: number,
  count: number,
  boxes: Float64Array,
  at: number,
): void {
  for (let axis = 0; axis < 3; axis++) {
    let low = Infinity;
    let high = -Infinity;
    for (let position = first; position < first + count; position++)
      for (let corner = order[position] * 3; corner < order[position] * 3 + 3; corner++) {
        const value = positions[triangles[corner] * 3 + axis];
        if (value < low) low = value;
        if (value > high) high = value;
      }
    boxes[at + axis] = low;
    boxes[at + 3 + axis] = high;
  }
}

function joinBoxes(boxes: Float64Array, node: number): void {
  const left = node * 12;
  for (let axis = 0; axis < 3; axis++) {
    boxes[node * 6 + axis] = Math.min(boxes[left + axis], boxes[left + 6 + axis]);
    boxes[node * 6 + 3 + axis] = Math.max(boxes[left + 3 + axis], boxes[left + 9 + axis]);
  }
}

/** triangle → place of its centre on a Morton curve through the box of the mesh */
function mortonCodes({ positions, triangles }: IndexedMesh): Uint32Array {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    const axis = i % 3;
    if (positions[i] < low[axis]) low[axis] = positions[i];
    if (positions[i] > high[axis]) high[axis] = positions[i];
  }
  const steps = low.map((value, axis) => (2 ** MORTON_BITS - 1) / (high[axis] - value || 1));
  const codes = new Uint32Array(triangles.length / 3);
  for (let triangle = 0; triangle < codes.length; triangle++) {
    const [a, b, c] = [triangles[triangle * 3] * 3, triangles[triangle * 3 + 1] * 3, triangles[triangle * 3 + 2] * 3];
    let code = 0;
    for (let axis = 0; axis < 3; axis++) {
      const centre = (positions[a + axis] + positions[b + axis] + positions[c + axis]) / 3;
      code |= spread((centre - low[axis]) * steps[axis]) << axis;
    }
    codes[triangle] = code;
  }
  return codes;
}

/** The ten low bits of a whole number, with two free bits after each. */
function spread(value: number): number {
  let bits = value & 0x3ff;
  bits = (bits | (bits << 16)) & 0x30000ff;
  bits = (bits | (bits << 8)) & 0x300f00f;
  bits = (bits | (bits << 4)) & 0x30c30c3;
  return (bits | (bits << 2)) & 0x9249249;
}

/** position → triangle, by rising code and, among equals, by rising number (a stable radix sort of three rounds). */
function sortByCode(codes: Uint32Array): Uint32Array {
  let source = Uint32Array.from(codes.keys());
  let target = new Uint32Array(codes.length);
  for (let shift = 0; shift < 30; shift += 10) {
    const starts = new Uint32Array(1025);
    for (const code of codes) starts[((code >>> shift) & 1023) + 1]++;
    for (let digit = 0; digit < 1024; digit++) starts[digit + 1] += starts[digit];
    for (const triangle of source) target[starts[(codes[triangle] >>> shift) & 1023]++] = triangle;
    [source, target] = [target, source];
  }
  return source;
}
