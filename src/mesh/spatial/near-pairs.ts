import { distance } from '../geometry/distance.js';
import { buildBvh, forEachTriangleInBox } from './bvh.js';

/** Neighbors reported per vertex. Bounds the number of pairs if many vertices coincide. */
const MAX_NEIGHBORS = 32;

/** Two vertices within a tolerance of each other, `a` below `b`. */
export interface NearPair {
  a: number;
  b: number;
  distanceMm: number;
}

/**
 * Finds the pairs of vertices within `toleranceMm` of each other, closest first. Reports at most 32 neighbors with a
 * higher index for each vertex.
 *
 * @param vertices distinct vertex indices, in ascending order
 */
export function findNearPairs(positions: Float64Array, vertices: readonly number[], toleranceMm: number): NearPair[] {
  if (vertices.length === 0) return [];
  const points = Uint32Array.from(vertices.flatMap((vertex) => [vertex, vertex, vertex]));
  const tree = buildBvh(positions, points);
  const pairs: NearPair[] = [];
  for (const a of vertices) {
    const center = [positions[a * 3], positions[a * 3 + 1], positions[a * 3 + 2]];
    let count = 0;
    const min = center.map((part) => part - toleranceMm);
    const max = center.map((part) => part + toleranceMm);
    forEachTriangleInBox(tree, min, max, (point) => {
      const b = vertices[point];
      if (b <= a || count >= MAX_NEIGHBORS) return;
      const distanceMm = distance(positions, a, b);
      if (distanceMm > toleranceMm) return;
      pairs.push({ a, b, distanceMm });
      count++;
    });
  }
  return pairs.sort((x, y) => x.distanceMm - y.distanceMm || x.a - y.a || x.b - y.b);
}
