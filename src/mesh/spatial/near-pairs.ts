import { distance } from '../geometry/distance.js';
import { type Bvh, forEachTriangleInBox, LEAF_SIZE } from './bvh.js';
import { buildPointTree } from './point-tree.js';

/** Neighbors reported per vertex. Bounds the number of pairs if many vertices coincide. */
const MAX_NEIGHBORS = 32;

/** Two vertices within the tolerances of both, `a` below `b`. */
export interface NearPair {
  a: number;
  b: number;
  distanceMm: number;
}

/**
 * Finds the pairs of vertices within the tolerances of both, closest first. Reports at most 32 neighbors with a higher
 * index for each vertex.
 *
 * @param vertices distinct vertex indices, in ascending order
 * @param toleranceOf returns the tolerance of a vertex, in mm
 */
export function findNearPairs(
  positions: Float64Array,
  vertices: readonly number[],
  toleranceOf: (vertex: number) => number,
): NearPair[] {
  if (vertices.length === 0) return [];
  const tree = buildPointTree(positions, vertices);
  const lastPoints = findLastPoints(tree);
  const pairs: NearPair[] = [];
  for (const [pointOfA, a] of vertices.entries()) {
    const toleranceMm = toleranceOf(a);
    const center = [positions[a * 3], positions[a * 3 + 1], positions[a * 3 + 2]];
    let count = 0;
    const min = center.map((part) => part - toleranceMm);
    const max = center.map((part) => part + toleranceMm);
    const visit = (point: number): boolean => {
      const b = vertices[point];
      if (b <= a) return true;
      const distanceMm = distance(positions, a, b);
      if (distanceMm > Math.min(toleranceMm, toleranceOf(b))) return true;
      pairs.push({ a, b, distanceMm });
      return ++count < MAX_NEIGHBORS;
    };
    forEachTriangleInBox(tree, min, max, visit, (node) => lastPoints[node] <= pointOfA);
  }
  return pairs.sort((x, y) => x.distanceMm - y.distanceMm || x.a - y.a || x.b - y.b);
}

/** Returns node → the largest index of a point below it, or 0. */
function findLastPoints({ order, firstLeaf }: Bvh): Uint32Array {
  const lastPoints = new Uint32Array(firstLeaf * 2);
  for (let slot = 0; slot < order.length; slot++) {
    const leaf = firstLeaf + Math.floor(slot / LEAF_SIZE);
    lastPoints[leaf] = Math.max(lastPoints[leaf], order[slot]);
  }
  for (let node = firstLeaf - 1; node > 0; node--)
    lastPoints[node] = Math.max(lastPoints[node * 2], lastPoints[node * 2 + 1]);
  return lastPoints;
}
