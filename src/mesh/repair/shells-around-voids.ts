import { createResolutionWork, resolveIntersections } from '../arrangement/resolve-intersections.js';
import { sampleEvenly } from '../core/sample-evenly.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { findNesting } from '../spatial/nesting.js';
import { windingNumber } from '../spatial/winding-number.js';
import { joinMeshes } from '../topology/join-meshes.js';
import { findTwinShells, groupTriangles, type Shells } from '../topology/shells.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { markClosedShells } from './orient-shells.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** The corners of all voids together at which winding numbers are computed, unless there are more voids. */
const MAX_CORNERS = 5000;
const MAX_CORNERS_PER_VOID = 256;

/**
 * The step `voids`. Replaces each shell that crosses itself around a void by its self-union: there, the shell encloses the
 * void twice, or inside out, so that the self-union of the whole mesh would fill it. Only the shell itself counts: another
 * shell that overlaps it still fills its voids. So does another body that touches it along edges and thereby belongs to the
 * same shell: a shell with an edge of more than two triangles stays as it is. The void must be in the shell, face inward,
 * and have a corner where the winding number of the shell is neither 0 nor 1. The notes count shells.
 */
export const UNITE_AROUND_VOIDS: RepairStep = { name: 'voids', run: uniteAroundVoids };

function uniteAroundVoids(mesh: TaggedMesh, { index, tolerances, budget }: StepContext): StepResult {
  const shells = findTwinShells(index.radialTwins());
  const { volumeMm3 } = measureGroups(mesh, shells.shellOf, shells.count);
  if (shells.count < 2 || volumeMm3.every((volume) => volume >= 0)) return unchanged(mesh);
  const work = createResolutionWork(mesh.triangles.length / 3);
  const unions = new Map<number, TaggedMesh>(); // shell → its self-union
  let maxDisplacementMm = 0;
  for (const [shell, state] of findShellsAroundVoids({ mesh, index }, shells, volumeMm3)) {
    const { resolved } = resolveIntersections(state, tolerances.perturbationsMm, budget.resolution, work);
    if (resolved?.remainingCount !== 0) continue;
    unions.set(shell, resolved.state.mesh);
    maxDisplacementMm = Math.max(maxDisplacementMm, resolved.maxDisplacementMm);
  }
  if (unions.size === 0) return unchanged(mesh);
  const kept = [...shells.shellOf.keys()].filter((triangle) => !unions.has(shells.shellOf[triangle]));
  const joined = joinTagged([selectTriangles(mesh, kept), ...unions.values()]);
  return changed({ mesh: joined }, { count: unions.size, maxDisplacementMm });
}

/** Finds the shells that face outward and cross themselves around voids. Returns shell → its triangles by themselves. */
function findShellsAroundVoids(
  { mesh, index }: MeshState,
  shells: Shells,
  volumeMm3: Float64Array,
): Map<number, MeshState> {
  const trianglesOf = groupTriangles(shells);
  const { containers } = findNesting(index, shells, markClosedShells(index, shells));
  const voidsOf = new Map<number, number[]>(); // shell → the shells in it that face inward
  for (const [inner, containing] of containers.entries())
    for (const outer of volumeMm3[inner] < 0 ? containing : []) {
      const voids = voidsOf.get(outer) ?? [];
      if (volumeMm3[outer] > 0) voidsOf.set(outer, voids);
      voids.push(inner);
    }
  const voidCount = [...voidsOf.values()].reduce((sum, { length }) => sum + length, 0);
  const cornerCount = Math.max(1, Math.min(MAX_CORNERS_PER_VOID, Math.floor(MAX_CORNERS / voidCount)));
  const around = new Map<number, MeshState>();
  for (const [outer, voids] of voidsOf) {
    const state = createMeshState(selectTriangles(mesh, trianglesOf[outer]));
    const isMultiplyEnclosed = (triangle: number) => {
      const offset = mesh.triangles[triangle * 3] * 3;
      const corner = [...mesh.positions.subarray(offset, offset + 3)];
      const winding = windingNumber(state.mesh, state.index.bvh(), corner, [0, 0, 1], () => true);
      return winding !== 0 && winding !== 1;
    };
    const hasOne = () => voids.some((each) => sampleEvenly(trianglesOf[each], cornerCount).some(isMultiplyEnclosed));
    if (state.index.isClosed() && hasOne()) around.set(outer, state);
  }
  return around;
}

/** Joins meshes to one in which they share no vertices. */
function joinTagged(meshes: readonly TaggedMesh[]): TaggedMesh {
  const joined = joinMeshes(meshes);
  const objectOf = new Uint32Array(joined.triangles.length / 3);
  let offset = 0;
  for (const mesh of meshes) {
    objectOf.set(mesh.objectOf, offset);
    offset += mesh.objectOf.length;
  }
  return { ...joined, objectOf };
}
