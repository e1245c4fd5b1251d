import { compact } from '../topology/compact.js';
import { findDuplicateGroups, hasAscendingWinding } from '../topology/duplicate-triangles.js';
import { buildEdges } from '../topology/edges.js';
import { hasBalancedEdges } from '../topology/has-balanced-edges.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { gatherPositions, weldPoints } from '../welding/weld.js';
import type { RepairStep, StepResult } from './step.js';

/** A mesh is two-sided if more than this fraction of its triangles are in back-to-back pairs. */
const MIN_TWO_SIDED_FRACTION = 0.2;

/**
 * The step `clean`. Welds equal vertices. Drops triangles with a coordinate that is not finite or with two equal
 * corners, and duplicate triangles:
 *
 * - A back-to-back pair encloses nothing, and both triangles are dropped. If the mesh is two-sided, one is kept.
 * - Of duplicates with the same winding, the first is kept. If the mesh is closed only with all of them, all are kept.
 *
 * `changed` counts welded vertices and dropped triangles.
 */
export const CLEAN: RepairStep = { name: 'clean', run: clean };

function clean(mesh: TaggedMesh): StepResult {
  const { vertexOf, firstPoint } = weldPoints(mesh.positions);
  const welded: TaggedMesh = {
    positions: gatherPositions(mesh.positions, firstPoint),
    triangles: mesh.triangles.map((vertex) => vertexOf[vertex]),
    objectOf: mesh.objectOf,
  };
  const weldedCount = vertexOf.length - firstPoint.length;
  const isKept = markKeptTriangles(welded, markValidTriangles(welded));
  const keptTriangles: number[] = [];
  for (let triangle = 0; triangle < isKept.length; triangle++) if (isKept[triangle] === 1) keptTriangles.push(triangle);
  const changed = weldedCount + isKept.length - keptTriangles.length;
  if (changed === 0) return { mesh, changed };
  const remaining = selectTriangles(welded, keptTriangles);
  const { positions, triangles } = compact(remaining.positions, remaining.triangles);
  return { mesh: { positions, triangles, objectOf: remaining.objectOf }, changed };
}

/** Marks the valid triangles that are not dropped as duplicates: triangle → 1. */
function markKeptTriangles(mesh: TaggedMesh, isValid: Uint8Array): Uint8Array {
  const isKept = isValid.slice();
  const { surplusCount, isTwoSided } = dropDuplicates(mesh, isKept, false);
  if (surplusCount === 0 || isTwoSided) return isKept;
  // Two overlapping bodies may have the same triangle. They are closed only if both copies are kept.
  const edges = buildEdges(mesh.triangles, mesh.positions.length / 3);
  if (hasBalancedEdges(mesh.triangles, edges, isKept) || !hasBalancedEdges(mesh.triangles, edges, isValid))
    return isKept;
  const isKeptWithSurplus = isValid.slice();
  dropDuplicates(mesh, isKeptWithSurplus, true);
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
 * @param isKept triangle → 1 if it is kept. Triangles with 0 are not considered.
 * @param keepSurplus drops back-to-back pairs only, not surplus triangles
 */
function dropDuplicates(mesh: TaggedMesh, isKept: Uint8Array, keepSurplus: boolean): DroppedDuplicates {
  const { positions, triangles } = mesh;
  const groups = findDuplicateGroups(triangles, positions.length / 3, isKept);
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
