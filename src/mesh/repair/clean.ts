import type { ReportWarning } from '../analysis/report.js';
import { createWorkLimitWarning } from '../analysis/work-limit-warning.js';
import { pluralize } from '../core/pluralize.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { compact } from '../topology/compact.js';
import { findDuplicateGroups, hasAscendingWinding } from '../topology/duplicate-triangles.js';
import { hasBalancedEdges } from '../topology/has-balanced-edges.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { gatherPositions, weldPoints } from '../welding/weld.js';
import { chooseSheets } from './back-to-back.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/**
 * The step `clean`. Welds equal vertices. Drops triangles with a coordinate that is not finite or with two equal
 * corners, and duplicate triangles:
 *
 * - A back-to-back pair encloses nothing. Both triangles are dropped, or one is kept if it is a sheet or closes a hole
 *   (see `chooseSheets`).
 * - Of duplicates with the same winding, the first is kept. If the mesh is closed only with all of them, all are kept.
 *
 * The notes count welded vertices and dropped triangles.
 */
export const CLEAN: RepairStep = { name: 'clean', run: clean };

function clean(mesh: TaggedMesh, context: StepContext): StepResult {
  const { vertexOf, firstPoint } = weldPoints(mesh.positions);
  const weldedCount = vertexOf.length - firstPoint.length;
  const welded =
    weldedCount === 0 ? { mesh, index: context.index } : createMeshState(mergeVertices(mesh, vertexOf, firstPoint));
  const { isKept, warnings } = dropDuplicates(welded, markValidTriangles(welded.mesh), context);
  const keptTriangles: number[] = [];
  for (let triangle = 0; triangle < isKept.length; triangle++) if (isKept[triangle] === 1) keptTriangles.push(triangle);
  const droppedCount = isKept.length - keptTriangles.length;
  if (weldedCount + droppedCount === 0) return unchanged(mesh);
  const remaining = droppedCount === 0 ? welded.mesh : selectTriangles(welded.mesh, keptTriangles);
  const { positions, triangles } = compact(remaining.positions, remaining.triangles);
  const cleaned = { positions, triangles, objectOf: remaining.objectOf };
  const known = droppedCount === 0 ? { connectivity: welded.index } : {};
  return changed(createMeshState(cleaned, known), { count: weldedCount + droppedCount, warnings });
}

function mergeVertices(mesh: TaggedMesh, vertexOf: Uint32Array, firstPoint: Uint32Array): TaggedMesh {
  return {
    positions: gatherPositions(mesh.positions, firstPoint),
    triangles: mesh.triangles.map((vertex) => vertexOf[vertex]),
    objectOf: mesh.objectOf,
  };
}

/** Drops duplicates among the valid triangles. `isKept`: triangle → 1 if it is valid and not dropped. */
function dropDuplicates(
  welded: MeshState,
  isValid: Uint8Array,
  context: StepContext,
): { isKept: Uint8Array; warnings: ReportWarning[] } {
  const groups = findDuplicateGroups(welded.mesh.triangles, welded.index, isValid);
  if (groups.length === 0) return { isKept: isValid, warnings: [] };
  const isKept = dropSurplus(welded, groups, isValid);
  const backToBack = groups.filter((group) => balanceOf(welded.mesh, group) === 0);
  const { kept, finCount, isWorkExceeded } = chooseSheets(welded, backToBack, isKept, context);
  for (const triangle of kept) isKept[triangle] = 1;
  const warnings = finCount > 0 ? [createSheetsWarning(finCount)] : [];
  return { isKept, warnings: isWorkExceeded ? [...warnings, createWorkLimitWarning(CLEAN.name)] : warnings };
}

/** Returns the number of triangles of a group with ascending winding minus that of the others. */
function balanceOf({ triangles }: TaggedMesh, group: readonly number[]): number {
  return group.reduce((sum, triangle) => sum + (hasAscendingWinding(triangles, triangle) ? 1 : -1), 0);
}

/**
 * Drops all back-to-back pairs, and of the triangles of a group that remain the surplus: all except the first. Two
 * overlapping bodies may have the same triangle: if they are closed only with both copies, the surplus is kept. So it is
 * if a pair was dropped beside other copies: without the surplus, the bodies would no longer overlap equally often.
 */
function dropSurplus(
  { mesh, index }: MeshState,
  groups: readonly (readonly number[])[],
  isValid: Uint8Array,
): Uint8Array {
  const isKept = isValid.slice();
  const surplus: number[] = [];
  let hasMixedGroup = false; // whether a pair was dropped beside triangles that are kept
  for (const group of groups) {
    const balance = balanceOf(mesh, group);
    for (const triangle of group) isKept[triangle] = 0;
    const [first, ...others] = group
      .filter((triangle) => hasAscendingWinding(mesh.triangles, triangle) === balance > 0)
      .slice(0, Math.abs(balance));
    if (first !== undefined) isKept[first] = 1;
    surplus.push(...others);
    if (balance !== 0 && group.length > Math.abs(balance)) hasMixedGroup = true;
  }
  if (surplus.length === 0) return isKept;
  const edges = index.edges();
  const isClosedWithout = !hasMixedGroup && hasBalancedEdges(mesh.triangles, edges, isKept);
  if (isClosedWithout || !hasBalancedEdges(mesh.triangles, edges, isValid)) return isKept;
  for (const triangle of surplus) isKept[triangle] = 1;
  return isKept;
}

/** Returns the warning `SHEETS_DROPPED` about a number of triangles. */
export function createSheetsWarning(count: number): ReportWarning {
  const message = `${pluralize(count, 'triangle')} of walls without thickness ${count === 1 ? 'was' : 'were'} dropped. Give the walls a thickness.`;
  return { code: 'SHEETS_DROPPED', message };
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
