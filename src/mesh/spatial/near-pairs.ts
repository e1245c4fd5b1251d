import { distance } from '../geometry/distance.js';
import { forEachTriangleInBox } from './bvh.js';
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
  const pairs: NearPair[] = [];
  for (const a of vertices) {
    const toleranceMm = toleranceOf(a);
    const center = [positions[a * 3], positions[a * 3 + 1], positions[a * 3 + 2]];
    let count = 0;
    const min = center.map((part) => part - toleranceMm);
    const max = center.map((part) => part + toleranceMm);
    forEachTriangleInBox(tree, min, max, (point) => {
      const b = vertices[point];
      if (b <= a || count >= MAX_NEIGHBORS) return;
      const distanceMm = distance(positions, a, b);
      if (distanceMm > Math.min(toleranceMm, toleranceOf(b))) return;
      pairs.push({ a, b, distanceMm });
      count++;
    });
  }
  return pairs.sort((x, y) => x.distanceMm - y.distanceMm || x.a - y.a || x.b - y.b);
}
