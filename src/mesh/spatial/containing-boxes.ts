import { buildBvh, forEachTriangleInBox } from './bvh.js';

/**
 * Creates a query that returns the boxes containing a point, in ascending order. The boxes are stored in a BVH, each as
 * a degenerate triangle between its two corners.
 *
 * @param boxes box → min x, y, z, max x, y, z; a box with `min` above `max` contains nothing
 */
export function createPointInBoxQuery(boxes: Float64Array): (point: ArrayLike<number>) => number[] {
  const boxIndices: number[] = []; // triangle of the BVH → box
  for (let box = 0; box * 6 < boxes.length; box++) if (boxes[box * 6] <= boxes[box * 6 + 3]) boxIndices.push(box);
  const corners = new Float64Array(boxIndices.length * 6); // two vertices per box
  boxIndices.forEach((box, index) => {
    corners.set(boxes.subarray(box * 6, box * 6 + 6), index * 6);
  });
  const triangles = Uint32Array.from(boxIndices.flatMap((_, index) => [index * 2, index * 2 + 1, index * 2 + 1]));
  const tree = buildBvh(corners, triangles);
  return (point) => {
    const coordinates = [point[0], point[1], point[2]];
    const matches: number[] = [];
    forEachTriangleInBox(tree, coordinates, coordinates, (index) => matches.push(boxIndices[index]));
    return matches.sort((a, b) => a - b);
  };
}

/** Creates `count` empty boxes in the layout of `createPointInBoxQuery`. */
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
