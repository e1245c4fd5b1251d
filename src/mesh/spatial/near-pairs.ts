import { buildBvh, forEachTriangleInBox } from './bvh.js';

const MAX_NEIGHBORS = 32;

/** Two vertices that lie close together, the lower number first. */
export interface NearPair {
  a: number;
  b: number;
  distanceMm: number;
}

/**
 * Pairs of vertices within a distance of each other, closest first. Of a vertex with very many neighbours only some are told:
 * enough to see that it has some, and bounded where all lie in one spot.
 */
export function findNearPairs(positions: Float64Array, vertices: readonly number[], withinMm: number): NearPair[] {
  if (vertices.length === 0) return [];
  const points = Uint32Array.from(vertices.flatMap((vertex) => [vertex, vertex, vertex]));
  const tree = buildBvh(positions, points);
  const pairs: NearPair[] = [];
  for (const a of vertices) {
    const at = [positions[a * 3], positions[a * 3 + 1], positions[a * 3 + 2]];
    let count = 0;
    const min = at.map((part) => part - withinMm);
    const max = at.map((part) => part + withinMm);
    forEachTriangleInBox(tree, min, max, (point) => {
      const b = vertices[point];
      if (b <= a || count >= MAX_NEIGHBORS) return;
      const distanceMm = Math.hypot(
        at[0] - positions[b * 3],
        at[1] - positions[b * 3 + 1],
        at[2] - positions[b * 3 + 2],
      );
      if (distanceMm > withinMm) return;
      pairs.push({ a, b, distanceMm });
      count++;
    });
  }
  return pairs.sort((x, y) => x.distanceMm - y.distanceMm || x.a - y.a || x.b - y.b);
}
