import type { IndexedMesh } from '../core/mesh.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { compact } from '../topology/compact.js';
import { buildEdges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { findShells } from '../topology/shells.js';

/**
 * Drops the shells of a closed mesh that enclose less than `minVolumeMm3`, outward and inward ones, and unused
 * vertices.
 */
export function dropSmallShells(mesh: IndexedMesh, minVolumeMm3: number): IndexedMesh {
  const { positions, triangles } = mesh;
  const { shellOf, count } = findShells(triangles.length / 3, buildEdges(triangles, positions.length / 3));
  const { volumeMm3 } = measureGroups(mesh, shellOf, count);
  const kept = triangles.filter(
    (_, corner) => Math.abs(volumeMm3[shellOf[triangleOf(corner)]]) >= minVolumeMm3,
  );
  return compact(positions, kept);
}
