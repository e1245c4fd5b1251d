import type { Edges } from './edges.js';
import { nextOf, triangleOf } from './half-edge.js';

/**
 * Returns whether each edge has as many half-edges in one direction as in the other. True for closed, consistently
 * oriented shells, also if they share edges.
 *
 * @param isIncluded triangle → 1 if it is considered. Default: all.
 */
export function hasBalancedEdges(triangles: Uint32Array, { order, starts }: Edges, isIncluded?: Uint8Array): boolean {
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const first = order[starts[edge]];
    const low = Math.min(triangles[first], triangles[nextOf(first)]);
    let balance = 0;
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      if (isIncluded?.[triangleOf(order[i])] === 0) continue;
      balance += triangles[order[i]] === low ? 1 : -1;
    }
    if (balance !== 0) return false;
  }
  return true;
}
