import type { IndexedMesh, MeshGeometry } from '../core/mesh.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { compact } from '../topology/compact.js';
import { buildEdges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { findShells } from '../topology/shells.js';

/**
 * Returns the shells of a mesh that `isKept` accepts by their area and signed volume, without unused vertices and
 * objects. Triangles and vertices keep their order.
 */
export function selectShells(
  { positions, triangles }: MeshGeometry,
  isKept: (areaMm2: number, volumeMm3: number) => boolean,
): IndexedMesh {
  const { shellOf, count } = findShells(triangles.length / 3, buildEdges(triangles, positions.length / 3));
  const { areaMm2, volumeMm3 } = measureGroups({ positions, triangles }, shellOf, count);
  const isShellKept = Array.from(areaMm2, (area, shell) => isKept(area, volumeMm3[shell]));
  const { newVertexOf: _, ...selected } = compact(
    positions,
    triangles.filter((_, corner) => isShellKept[shellOf[triangleOf(corner)]]),
  );
  return selected;
}
