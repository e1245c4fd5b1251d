import { compact } from '../topology/compact.js';
import { findDuplicateGroups, hasAscendingWinding } from '../topology/duplicate-triangles.js';
import { buildEdges } from '../topology/edges.js';
import { hasBalancedEdges } from '../topology/has-balanced-edges.js';
import { gatherPositions, weldPoints } from '../welding/weld.js';
import { type RepairMesh, type RepairStep, type StepResult, selectTriangles } from './step.js';

/** A file with more than this fraction of back-to-back triangles is two-sided: one triangle of each pair is kept. */
const TWO_SIDED_FRACTION = 0.2;

/**
 * The step `clean`. Welds equal vertices, and drops triangles that are not finite, have two equal corners or duplicate
 * another. One of several duplicates with the same winding is kept, unless the mesh is closed only with more of them.
 * Two triangles back to back enclose nothing: both are dropped, unless the whole file is two-sided. `changed` counts
 * merged vertices and dropped triangles.
 */
export const CLEAN: RepairStep = { name: 'clean', run: clean };

function clean(mesh: RepairMesh): StepResult {
  const { vertexOf, firstPoint } = weldPoints(mesh.positions);
  const welded: RepairMesh = {
    positions: gatherPositions(mesh.positions, firstPoint),
    triangles: mesh.triangles.map((vertex) => vertexOf[vertex]),
    objectOf: mesh.objectOf,
  };
  const mergedCount = vertexOf.length - firstPoint.length;
  const isKept = markUniqueTriangles(welded, markValidTriangles(welded));
  const kept: number[] = [];
  for (let triangle = 0; triangle < isKept.length; triangle++) if (isKept[triangle] === 1) kept.push(triangle);
  const changed = mergedCount + isKept.length - kept.length;
  if (changed === 0) return { mesh, changed };
  const remaining = selectTriangles(welded, kept);
  const { positions, triangles } = compact(remaining.positions, remaining.triangles);
  return { mesh: { positions, triangles, objectOf: remaining.objectOf }, changed };
}

/** triangle → 1 if it is valid and is not dropped as a duplicate */
function markUniqueTriangles(mesh: RepairMesh, isValid: Uint8Array): Uint8Array {
  const isKept = isValid.slice();
  const { surplus, isTwoSided } = dropDuplicates(mesh, isKept, false);
  if (surplus === 0 || isTwoSided) return isKept;
  // Two bodies that have a triangle in common are closed only if both copies are kept.
  const edges = buildEdges(mesh.triangles, mesh.positions.length / 3);
  if (hasBalancedEdges(mesh.triangles, edges, isKept) || !hasBalancedEdges(mesh.triangles, edges, isValid))
    return isKept;
  const isKeptWithSurplus = isValid.slice();
  dropDuplicates(mesh, isKeptWithSurplus, true);
  return isKeptWithSurplus;
}

/** triangle → 1 if its corners are three different, finite vertices */
function markValidTriangles({ positions, triangles }: RepairMesh): Uint8Array {
  const isKept = new Uint8Array(triangles.length / 3);
  for (let triangle = 0; triangle < isKept.length; triangle++) {
    const a = triangles[triangle * 3];
    const b = triangles[triangle * 3 + 1];
    const c = triangles[triangle * 3 + 2];
    if (a === b || b === c || c === a) continue;
    isKept[triangle] =
      isFiniteVertex(positions, a) && isFiniteVertex(positions, b) && isFiniteVertex(positions, c) ? 1 : 0;
  }
  return isKept;
}

/**
 * Whether all coordinates of a vertex are finite: the difference of a finite value from itself is 0, of any other NaN.
 */
function isFiniteVertex(positions: Float64Array, vertex: number): boolean {
  const [x, y, z] = [positions[vertex * 3], positions[vertex * 3 + 1], positions[vertex * 3 + 2]];
  return x - x + (y - y) + (z - z) === 0;
}

/**
 * Drops triangles that have the same corners as another, by writing 0 into `isKept`. With `keepSurplus`, drops only
 * back-to-back pairs. `surplus` counts the triangles that these pairs leave beyond the first of each group.
 */
function dropDuplicates(mesh: RepairMesh, isKept: Uint8Array, keepSurplus: boolean) {
  const { positions, triangles } = mesh;
  const groups = findDuplicateGroups(triangles, positions.length / 3, isKept);
  const isAscending = (triangle: number) => hasAscendingWinding(triangles, triangle);
  let backToBack = 0;
  for (const group of groups) {
    const forward = group.filter(isAscending).length;
    backToBack += Math.min(forward, group.length - forward) * 2;
  }
  const isTwoSided = backToBack > isKept.length * TWO_SIDED_FRACTION;
  let surplus = 0;
  for (const group of groups) {
    const forwardCount = group.filter(isAscending).length;
    const balance = forwardCount * 2 - group.length; // positive if more triangles wind forward than backward
    if (balance === 0 && !isTwoSided) {
      for (const triangle of group) isKept[triangle] = 0;
      continue;
    }
    surplus += Math.max(0, Math.abs(balance) - 1);
    // Of the winding in the majority, the triangles that come first in the file are kept.
    const majority = group.filter((triangle) => balance === 0 || isAscending(triangle) === balance > 0);
    const keptTriangles = majority.slice(0, keepSurplus ? Math.abs(balance) : 1);
    for (const triangle of group) isKept[triangle] = keptTriangles.includes(triangle) ? 1 : 0;
  }
  return { surplus, isTwoSided };
}
