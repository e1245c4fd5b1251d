import type { MeshGeometry } from '../core/mesh.js';
import { markDegenerateTriangles } from '../geometry/degenerate-triangles.js';
import { buildEdges, findTwins } from '../topology/edges.js';
import { findIntersections } from './find-intersections.js';

/** triangle → 1 where it crosses or overlaps another, or has no area; exact, unless nearly everything lies in one place. */
export function markIntersectingOrDegenerate(mesh: MeshGeometry): Uint8Array {
  const isDegenerate = markDegenerateTriangles(mesh);
  const twins = findTwins(mesh.triangles, buildEdges(mesh.triangles, mesh.positions.length / 3));
  const { crossing, overlapping } = findIntersections(mesh, { isDegenerate, twins });
  const isHit = isDegenerate.slice();
  for (const triangle of crossing) isHit[triangle] = 1;
  for (const triangle of overlapping) isHit[triangle] = 1;
  return isHit;
}
