import type { MeshGeometry } from '../core/mesh.js';
import { markDegenerateTriangles } from '../geometry/degenerate-triangles.js';
import { buildEdges, findTwins } from '../topology/edges.js';
import { findIntersections } from './find-intersections.js';

/**
 * Marks the triangles that cross or overlap another, or are degenerate (triangle → 1). Exact, unless the search exceeds
 * its default limit of pairs.
 */
export function markIntersectingOrDegenerate(mesh: MeshGeometry): Uint8Array {
  const isDegenerate = markDegenerateTriangles(mesh);
  const twins = findTwins(mesh.triangles, buildEdges(mesh.triangles, mesh.positions.length / 3));
  const { crossing, overlapping } = findIntersections(mesh, { isDegenerate, twins });
  const isMarked = isDegenerate.slice();
  for (const triangle of crossing) isMarked[triangle] = 1;
  for (const triangle of overlapping) isMarked[triangle] = 1;
  return isMarked;
}
