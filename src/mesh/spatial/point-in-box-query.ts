import { buildBvh, forEachTriangleInBox } from './bvh.js';

/**
 * Makes a search among boxes (six numbers each: min x, y, z, max x, y, z; `min` above `max` holds nothing): a function from a point to the
 * numbers of the boxes it lies in, in ascending order. Each box stands in a tree of triangles as one between its two corners.
 */
export function createPointInBoxQuery(boxes: Float64Array): (point: ArrayLike<number>) => number[] {
  const numbers: number[] = []; // place in the tree → box
  for (let box = 0; box * 6 < boxes.length; box++) if (boxes[box * 6] <= boxes[box * 6 + 3]) numbers.push(box);
  const corners = new Float64Array(numbers.length * 6); // two vertices a box
  numbers.forEach((box, slot) => {
    corners.set(boxes.subarray(box * 6, box * 6 + 6), slot * 6);
  });
  const triangles = Uint32Array.from(numbers.flatMap((_, slot) => [slot * 2, slot * 2 + 1, slot * 2 + 1]));
  const tree = buildBvh(corners, triangles);
  return (point) => {
    const at = [point[0], point[1], point[2]];
    const matches: number[] = [];
    forEachTriangleInBox(tree, at, at, (slot) => matches.push(numbers[slot]));
    return matches.sort((a, b) => a - b);
  };
}

/** Boxes that hold nothing yet, in the form that `createPointInBoxQuery` takes. */
export function emptyBoxes(count: number): Float64Array {
  return Float64Array.from({ length: count * 6 }, (_, i) =>
    i % 6 < 3 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY,
  );
}

/** Widens one of `boxes` to hold a vertex. */
export function expandBox(boxes: Float64Array, box: number, positions: Float64Array, vertex: number): void {
  for (let k = 0; k < 3; k++) {
    const value = positions[vertex * 3 + k];
    if (value < boxes[box * 6 + k]) boxes[box * 6 + k] = value;
    if (value > boxes[box * 6 + 3 + k]) boxes[box * 6 + 3 + k] = value;
  }
}
