import type { IndexedMesh, ObjectRange } from '../core/mesh.js';
import type { TaskRunner } from '../core/task-runner.js';
import { computeBounds } from '../geometry/bounds.js';
import { findIntersectionsWithRunner } from '../intersections/find-with-runner.js';
import { findIntersectionsOf, markDegenerateTrianglesOf } from '../intersections/mark-intersecting.js';
import { createMeshIndex, type MeshIndex, type MeshState } from '../spatial/mesh-index.js';
import { fromTaggedMesh, isGroupedByObject } from '../topology/tagged-mesh.js';

/**
 * Converts a state to the form of the result. Its index keeps what does not depend on the unused vertices. `runner`:
 * runs parts of it in other threads.
 */
export function toResult(
  { mesh: source, index }: MeshState,
  objects?: readonly ObjectRange[],
  runner?: TaskRunner,
): { mesh: IndexedMesh; index: MeshIndex } {
  const mesh = fromTaggedMesh(source, objects);
  if (!isGroupedByObject(source)) return { mesh, index: createMeshIndex(mesh) };
  if (mesh.positions.length === source.positions.length) return { mesh, index };
  // The BVH is sorted along a curve through the bounds, and the limited search for intersections follows it.
  if (!haveSameBounds(mesh.positions, source.positions))
    return { mesh, index: createMeshIndex(mesh, { connectivity: index }) };
  if (runner) findIntersectionsWithRunner(index, runner);
  const compacted = createMeshIndex(mesh, { connectivity: index, bvh: index.bvh });
  compacted.provide(markDegenerateTrianglesOf, index.derive(markDegenerateTrianglesOf));
  compacted.provide(findIntersectionsOf, index.derive(findIntersectionsOf));
  return { mesh, index: compacted };
}

function haveSameBounds(one: Float64Array, other: Float64Array): boolean {
  const [bounds, otherBounds] = [computeBounds(one), computeBounds(other)];
  return [0, 1, 2].every((k) => bounds.min[k] === otherBounds.min[k] && bounds.max[k] === otherBounds.max[k]);
}
