import type { IndexedMesh } from '../core/mesh.js';
import { createMeshIndex } from '../spatial/mesh-index.js';
import { findNesting } from '../spatial/nesting.js';
import { fromTaggedMesh, selectTriangles, toTaggedMesh } from '../topology/tagged-mesh.js';

/**
 * Returns the shells of a closed mesh without intersections that no other shell contains: its outside, without voids and
 * the bodies in them. Returns the mesh itself if it has no others.
 */
export function selectOutermostShells(mesh: IndexedMesh): IndexedMesh {
  const index = createMeshIndex(mesh);
  const shells = index.shells();
  const { containers } = findNesting(index, shells, new Uint8Array(shells.count).fill(1));
  if (containers.every(({ length }) => length === 0)) return mesh;
  const kept: number[] = [];
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++)
    if (containers[shells.shellOf[triangle]].length === 0) kept.push(triangle);
  return fromTaggedMesh(selectTriangles(toTaggedMesh(mesh), kept), mesh.objects);
}
