import type { IndexedMesh } from '../mesh.js';
import { closestOnTriangle } from './closest-on-triangle.js';
import { LEAF_SIZE, type TriangleTree } from './triangle-tree.js';

/**
 * How far a point is from the nearest triangle of a mesh, in mm. `withinMm`: a distance that is known not to be exceeded; the closer, the
 * sooner it is found. Where nothing is that near, the answer is `withinMm`.
 */
export function distanceToSurface(
  { positions, triangles }: Pick<IndexedMesh, 'positions' | 'triangles'>,
  { order, leafBase, nodeBoxes }: TriangleTree,
  x: number,
  y: number,
  z: number,
  withinMm = Number.POSITIVE_INFINITY,
): number {
  let best = withinMm * withinMm;
  const found = new Float64Array(3);
  const stack = [1];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (squaredDistanceToBox(nodeBoxes, node * 6, x, y, z) >= best) continue;
    if (node < leafBase) {
      // The nearer child is looked at first: it makes the other one needless more often.
      const left = squaredDistanceToBox(nodeBoxes, node * 12, x, y, z);
      const right = squaredDistanceToBox(nodeBoxes, node * 12 + 6, x, y, z);
      if (left < right) stack.push(node * 2 + 1, node * 2);
      else stack.push(node * 2, node * 2 + 1);
      continue;
    }
    const end = Math.min(order.length, (node - leafBase + 1) * LEAF_SIZE);
    for (let place = (node - leafBase) * LEAF_SIZE; place < end; place++) {
      const at = order[place] * 3;
      const square = closestOnTriangle(
        positions,
        triangles[at] * 3,
        triangles[at + 1] * 3,
        triangles[at + 2] * 3,
        x,
        y,
        z,
        found,
      );
      if (square < best) best = square;
    }
  }
  return Math.sqrt(best);
}

function squaredDistanceToBox(boxes: Float32Array, at: number, x: number, y: number, z: number): number {
  const dx = Math.max(boxes[at] - x, 0, x - boxes[at + 3]);
  const dy = Math.max(boxes[at + 1] - y, 0, y - boxes[at + 4]);
  const dz = Math.max(boxes[at + 2] - z, 0, z - boxes[at + 5]);
  return dx * dx + dy * dy + dz * dz;
}
