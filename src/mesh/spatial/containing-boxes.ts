import { type Boxes, buildBvh, LEAF_SIZE } from './bvh.js';

/** Calls `visit` with each box that contains the box between `min` and `max`, in no particular order. */
export type ContainingBoxesQuery = (
  min: ArrayLike<number>,
  max: ArrayLike<number>,
  visit: (box: number) => void,
) => void;

/**
 * Creates a query of the boxes that contain a box or, with `min` equal to `max`, a point. May visit boxes that are
 * smaller by an ulp of float32. The boxes are stored in a BVH, each as a degenerate triangle between its two corners.
 *
 * @param boxes box → min x, y, z, max x, y, z; a box with `min` above `max` contains nothing
 */
export function createContainingBoxesQuery(boxes: Float64Array): ContainingBoxesQuery {
  const boxIndices: number[] = []; // triangle of the BVH → box
  for (let box = 0; box * 6 < boxes.length; box++) if (boxes[box * 6] <= boxes[box * 6 + 3]) boxIndices.push(box);
  const corners = new Float64Array(boxIndices.length * 6); // two vertices per box
  boxIndices.forEach((box, index) => {
    corners.set(boxes.subarray(box * 6, box * 6 + 6), index * 6);
  });
  const triangles = Uint32Array.from(boxIndices.flatMap((_, index) => [index * 2, index * 2 + 1, index * 2 + 1]));
  const tree = buildBvh(corners, triangles);
  return (min, max, visit) => {
    const stack = [1];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (!contains(tree.nodeBoxes, node * 6, min, max)) continue;
      if (node < tree.firstLeaf) {
        stack.push(node * 2 + 1, node * 2);
        continue;
      }
      const first = (node - tree.firstLeaf) * LEAF_SIZE;
      const end = Math.min(tree.order.length, first + LEAF_SIZE);
      for (let slot = first; slot < end; slot++)
        if (contains(tree.boxes, slot * 6, min, max)) visit(boxIndices[tree.order[slot]]);
    }
  };
}

function contains(boxes: Boxes, offset: number, min: ArrayLike<number>, max: ArrayLike<number>): boolean {
  return (
    boxes[offset] <= min[0] &&
    boxes[offset + 1] <= min[1] &&
    boxes[offset + 2] <= min[2] &&
    boxes[offset + 3] >= max[0] &&
    boxes[offset + 4] >= max[1] &&
    boxes[offset + 5] >= max[2]
  );
}

/** Creates `count` empty boxes in the layout of `createContainingBoxesQuery`. */
export function emptyBoxes(count: number): Float64Array {
  return Float64Array.from({ length: count * 6 }, (_, i) =>
    i % 6 < 3 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY,
  );
}

/** Expands a box of `boxes` to contain a vertex. */
export function expandBox(boxes: Float64Array, box: number, positions: Float64Array, vertex: number): void {
  for (let k = 0; k < 3; k++) {
    const value = positions[vertex * 3 + k];
    if (value < boxes[box * 6 + k]) boxes[box * 6 + k] = value;
    if (value > boxes[box * 6 + 3 + k]) boxes[box * 6 + 3 + k] = value;
  }
}
