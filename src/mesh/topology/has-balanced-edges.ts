import type { Edges } from './edges.js';
import { nextOf, triangleOf } from './half-edge.js';

/**
 * Whether each edge is walked as often one way as the other: so it is wherever closed bodies of sound winding lie, however many triangles
 * meet at an edge. `isCounted`: triangle → 1 for those that count; all by default.
 */
export function hasBalancedEdges(triangles: Uint32Array, { order, starts }: Edges, isCounted?: Uint8Array): boolean {
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const first = order[starts[edge]];
    const low = Math.min(triangles[first], triangles[nextOf(first)]);
    let balance = 0;
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      if (isCounted?.[triangleOf(order[i])] === 0) continue;
      balance += triangles[order[i]] === low ? 1 : -1;
    }
    if (balance !== 0) return false;
  }
  return true;
}
