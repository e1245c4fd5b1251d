import type { IndexedMesh } from '../core/mesh.js';
import { computeBounds, diagonalOf } from '../geometry/bounds.js';
import { createMeshState } from '../spatial/mesh-index.js';
import { fromTaggedMesh, selectTriangles, type TaggedMesh, toTaggedMesh } from '../topology/tagged-mesh.js';
import { closeSurface } from './pipeline.js';
import { type StepSummary, startRepair } from './run-steps.js';
import { createContext } from './step.js';

/**
 * Closes a mesh by the steps of a repair, and keeps open fragments. Returns its finite triangles if the steps drop all.
 * Drops unused vertices and objects. Intersections remain.
 */
export function closeMesh(mesh: IndexedMesh): { surface: IndexedMesh; summary: StepSummary } {
  const source = toTaggedMesh(mesh);
  const context = createContext(diagonalOf(computeBounds(mesh.positions)));
  const { mesh: closed, summary } = closeSurface(startRepair(createMeshState(source)), context, true);
  const surface = fromTaggedMesh(closed.triangles.length > 0 ? closed : keepFiniteTriangles(source));
  return { surface, summary };
}

/** Drops triangles with corners that are not finite. */
function keepFiniteTriangles(mesh: TaggedMesh): TaggedMesh {
  const hasFinitePosition = (vertex: number) =>
    [0, 1, 2].every((axis) => Number.isFinite(mesh.positions[vertex * 3 + axis]));
  const kept: number[] = [];
  for (let offset = 0; offset < mesh.triangles.length; offset += 3)
    if (mesh.triangles.subarray(offset, offset + 3).every(hasFinitePosition)) kept.push(offset / 3);
  return selectTriangles(mesh, kept);
}
