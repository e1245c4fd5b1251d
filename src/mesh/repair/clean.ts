import { compact } from '../topology/compact.js';
import { findDuplicateGroups, hasAscendingWinding } from '../topology/duplicate-triangles.js';
import { buildEdges } from '../topology/edges.js';
import { hasBalancedEdges } from '../topology/has-balanced-edges.js';
import { gatherPositions, weldPoints } from '../welding/weld.js';
import { type RepairMesh, type RepairStep, type StepResult, selectTriangles } from './step.js';

/** Above this share of triangles that lie back to back the file shows each wall from both sides, and one side of each is kept. */
const TWO_SIDED_FRACTION = 0.2;

/**
 * Welds equal vertices and drops triangles that are not finite, degenerate (two equal corners) or duplicates. Of duplicates with the same
 * winding one stays, unless bodies are closed only with more of them. Two back to back enclose nothing and both go, unless the whole file is
 * two-sided.
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
  const left = selectTriangles(welded, kept);
  const { positions, triangles } = compact(left.positions, left.triangles);
  return { mesh: { positions, triangles, objectOf: left.objectOf }, changed };
}

/** Marks what stays of `isDecodable` triangles once duplicates are gone. */
function markUniqueTriangles(mesh: RepairMesh, isSound: Uint8Array): Uint8Array {
  const isKept = isSound.slice();
  const { surplus, isTwoSided } = dropDuplicates(mesh, isKept, false);
  if (surplus === 0 || isTwoSided) return isKept;
  // Bodies that have a triangle in common are closed only with both of it.
  const edges = buildEdges(mesh.triangles, mesh.positions.length / 3);
  if (hasBalancedEdges(mesh.triangles, edges, isKept) || !hasBalancedEdges(mesh.triangles, edges, isSound))
    return isKept;
  const isLeft = isSound.slice();
  dropDuplicates(mesh, isLeft, true);
  return isLeft;
}

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

/** Whether all coordinates of a vertex are finite: their differences from themselves are 0 then, else NaN. */
function isFiniteVertex(positions: Float64Array, vertex: number): boolean {
  const [x, y, z] = [positions[vertex * 3], positions[vertex * 3 + 1], positions[vertex * 3 + 2]];
  return x - x + (y - y) + (z - z) === 0;
}

/**
 * Drops triangles that have the corners of another. With `keepSurplus` only pairs back to back go. `surplus` counts triangles left over by such pairs, beyond the first.
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
    const balance = forwardCount * 2 - group.length; // above 0: most are walked forward
    if (balance === 0 && !isTwoSided) {
      for (const triangle of group) isKept[triangle] = 0;
      continue;
    }
    surplus += Math.max(0, Math.abs(balance) - 1);
    // The first in the file of those that outnumber the others.
    const majority = group.filter((triangle) => balance === 0 || isAscending(triangle) === balance > 0);
    const keeps = majority.slice(0, keepSurplus ? Math.abs(balance) : 1);
    for (const triangle of group) isKept[triangle] = keeps.includes(triangle) ? 1 : 0;
  }
  return { surplus, isTwoSided };
}
