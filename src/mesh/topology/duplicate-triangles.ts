import { buildEdges } from './edges.js';
import { previousOf, triangleOf } from './half-edge.js';

/**
 * Groups of two and more triangles with the same three corners, of those that are counted (`isIncluded`: triangle → 1). They share all three
 * edges: they are found among those that share their lowest edge.
 */
export function findDuplicateGroups(triangles: Uint32Array, vertexCount: number, isIncluded: Uint8Array): number[][] {
  const { order, starts } = buildEdges(triangles, vertexCount);
  const groups: number[][] = [];
  const byThird = new Map<number, number[]>();
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] < 2) continue;
    byThird.clear();
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      const h = order[i];
      const third = triangles[previousOf(h)];
      // The third corner is the highest only as seen from the triangle's lowest edge: each triangle counts once.
      if (isIncluded[triangleOf(h)] === 0 || third < Math.max(triangles[h], triangles[h % 3 === 2 ? h - 2 : h + 1]))
        continue;
      const same = byThird.get(third);
      if (same) same.push(triangleOf(h));
      else byThird.set(third, [triangleOf(h)]);
    }
    for (const group of byThird.values()) if (group.length > 1) groups.push(group);
  }
  return groups;
}

/** Whether the corners of a triangle, turned so that the lowest comes first, ascend: of two back to back one does. */
export function hasAscendingWinding(triangles: Uint32Array, triangle: number): boolean {
  const [a, b, c] = triangles.subarray(triangle * 3, triangle * 3 + 3);
  return (a < b && b < c) || (b < c && c < a) || (c < a && a < b);
}
