import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { compact } from '../topology/compact.js';
import { findDuplicateGroups, hasAscendingWinding } from '../topology/duplicate-triangles.js';
import { hasBalancedEdges } from '../topology/has-balanced-edges.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { gatherPositions, weldPoints } from '../welding/weld.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** A mesh is two-sided if more than this fraction of its triangles are in back-to-back pairs. */
const MIN_TWO_SIDED_FRACTION = 0.2;

/**
 * The step `clean`. Welds equal vertices. Drops triangles with a coordinate that is not finite or with two equal
 * corners, and duplicate triangles:
 *
 * - A back-to-back pair encloses nothing, and both triangles are dropped. If the mesh is two-sided, one is kept.
 * - Of duplicates with the same winding, the first is kept. If the mesh is closed only with all of them, all are kept.
 *
 * The notes count welded vertices and dropped triangles.
 */
export const CLEAN: RepairStep = { name: 'clean', run: clean };

function clean(mesh: TaggedMesh, { index }: StepContext): StepResult {
  const { vertexOf, firstPoint } = weldPoints(mesh.positions);
  const weldedCount = vertexOf.length - firstPoint.length;
  const welded = weldedCount === 0 ? { mesh, index } : createMeshState(mergeVertices(mesh, vertexOf, firstPoint));
  const isKept = markKeptTriangles(welded, markValidTriangles(welded.mesh));
  const keptTriangles: number[] = [];
  for (let triangle = 0; triangle < isKept.length; triangle++) if (isKept[triangle] === 1) keptTriangles.push(triangle);
  const droppedCount = isKept.length - keptTriangles.length;
  if (weldedCount + droppedCount === 0) return unchanged(mesh);
  const remaining = droppedCount === 0 ? welded.mesh : selectTriangles(welded.mesh, keptTriangles);
  const { positions, triangles } = compact(remaining.positions, remaining.triangles);
  const cleaned = { positions, triangles, objectOf: remaining.objectOf };
  const known = droppedCount === 0 ? { connectivity: welded.index } : {};
  return changed(createMeshState(cleaned, known), { count: weldedCount + droppedCount });
}

function mergeVertices(mesh: TaggedMesh, vertexOf: Uint32Array, firstPoint: Uint32Array): TaggedMesh {
  return {
    positions: gatherPositions(mesh.positions, firstPoint),
    triangles: mesh.triangles.map((vertex) => vertexOf[vertex]),
    objectOf: mesh.objectOf,
  };
}

/** Marks the valid triangles that are not dropped as duplicates: triangle → 1. */
function markKeptTriangles({ mesh, index }: MeshState, isValid: Uint8Array): Uint8Array {
  const isKept = isValid.slice();
  const groups = findDuplicateGroups(mesh.triangles, index, isValid);
  const { surplusCount, isTwoSided } = dropDuplicates(mesh, groups, isKept, false);
  if (surplusCount === 0 || isTwoSided) return isKept;
  // Two overlapping bodies may have the same triangle. They are closed only if both copies are kept.
  if (
    hasBalancedEdges(mesh.triangles, index.edges(), isKept) ||
    !hasBalancedEdges(mesh.triangles, index.edges(), isValid)
  )
    return isKept;
  const isKeptWithSurplus = isValid.slice();
  dropDuplicates(mesh, groups, isKeptWithSurplus, true);
  return isKeptWithSurplus;
}

/** Marks the triangles whose corners are three distinct vertices with finite coordinates: triangle → 1. */
function markValidTriangles({ positions, triangles }: TaggedMesh): Uint8Array {
  const isValid = new Uint8Array(triangles.length / 3);
  for (let triangle = 0; triangle < isValid.length; triangle++) {
    const a = triangles[triangle * 3];
    const b = triangles[triangle * 3 + 1];
    const c = triangles[triangle * 3 + 2];
    if (a === b || b === c || c === a) continue;
    isValid[triangle] =
      isFiniteVertex(positions, a) && isFiniteVertex(positions, b) && isFiniteVertex(positions, c) ? 1 : 0;
  }
  return isValid;
}

/** Returns whether all coordinates of a vertex are finite. `x - x` is 0 if x is finite, else NaN. */
function isFiniteVertex(positions: Float64Array, vertex: number): boolean {
  const [x, y, z] = [positions[vertex * 3], positions[vertex * 3 + 1], positions[vertex * 3 + 2]];
  return x - x + (y - y) + (z - z) === 0;
}

interface DroppedDuplicates {
  /**
   * Number of surplus triangles. The triangles of a group that are in no back-to-back pair have the same winding. All
   * of them except the first are surplus.
   */
  surplusCount: number;
  isTwoSided: boolean;
}

/**
 * Drops duplicate triangles, by setting their entries in `isKept` to 0.
 *
 * @param groups groups of duplicates
 * @param isKept triangle → 1 if it is kept
 * @param keepSurplus drops back-to-back pairs only, not surplus triangles
 */
function dropDuplicates(
  { triangles }: TaggedMesh,
  groups: readonly (readonly number[])[],
  isKept: Uint8Array,
  keepSurplus: boolean,
): DroppedDuplicates {
  const isAscending = (triangle: number) => hasAscendingWinding(triangles, triangle);
  let backToBackCount = 0;
  for (const group of groups) {
    const ascendingCount = group.filter(isAscending).length;
    backToBackCount += Math.min(ascendingCount, group.length - ascendingCount) * 2;
  }
  const isTwoSided = backToBackCount > isKept.length * MIN_TWO_SIDED_FRACTION;
  let surplusCount = 0;
  for (const group of groups) {
    const ascendingCount = group.filter(isAscending).length;
    const balance = ascendingCount * 2 - group.length; // number of ascending triangles minus that of the others
    if (balance === 0 && !isTwoSided) {
      for (const triangle of group) isKept[triangle] = 0;
      continue;
    }
    surplusCount += Math.max(0, Math.abs(balance) - 1);
    // Of the triangles with the more frequent winding, the first are kept.
    const majority = group.filter((triangle) => balance === 0 || isAscending(triangle) === balance > 0);
    const first = majority.slice(0, keepSurplus ? Math.abs(balance) : 1);
    for (const triangle of group) isKept[triangle] = first.includes(triangle) ? 1 : 0;
  }
  return { surplusCount, isTwoSided };
}
