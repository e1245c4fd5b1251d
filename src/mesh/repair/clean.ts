import { compact } from '../topology/compact.js';
import { buildEdges } from '../topology/edges.js';
import { previousOf, triangleOf } from '../topology/half-edge.js';
import { isBalanced } from '../topology/is-balanced.js';
import { keptPositions, weldPoints } from '../topology/weld.js';
import { type RepairMesh, type RepairStep, type StepResult, withTriangles } from './step.js';

/** Above this share of triangles that lie back to back the file shows each wall from both sides, and one side of each is kept. */
const TWO_SIDED_SHARE = 0.2;

/**
 * Welds equal vertices and drops triangles that are not finite, degenerate (two equal corners) or duplicates. Of duplicates with the same
 * winding one stays, unless bodies are closed only with more of them. Two back to back enclose nothing and both go, unless the whole file is
 * two-sided.
 */
export const CLEAN: RepairStep = { name: 'clean', run: clean };

function clean(mesh: RepairMesh): StepResult {
  const { vertexOf, firstPoint } = weldPoints(mesh.positions);
  const welded: RepairMesh = {
    positions: keptPositions(mesh.positions, firstPoint),
    triangles: mesh.triangles.map((vertex) => vertexOf[vertex]),
    objectOf: mesh.objectOf,
  };
  const mergedCount = vertexOf.length - firstPoint.length;
  const isKept = keepOnce(welded, markSound(welded));
  const kept: number[] = [];
  for (let triangle = 0; triangle < isKept.length; triangle++) if (isKept[triangle] === 1) kept.push(triangle);
  const changed = mergedCount + isKept.length - kept.length;
  if (changed === 0) return { mesh, changed };
  const left = withTriangles(welded, kept);
  const { positions, triangles } = compact(left.positions, left.triangles);
  return { mesh: { positions, triangles, objectOf: left.objectOf }, changed };
}

/** Marks what stays of `isSound` triangles once duplicates are gone. */
function keepOnce(mesh: RepairMesh, isSound: Uint8Array): Uint8Array {
  const isKept = isSound.slice();
  const { surplus, isTwoSided } = dropDuplicates(mesh, isKept, false);
  if (surplus === 0 || isTwoSided) return isKept;
  // Bodies that have a triangle in common are closed only with both of it.
  const edges = buildEdges(mesh.triangles, mesh.positions.length / 3);
  if (isBalanced(mesh.triangles, edges, isKept) || !isBalanced(mesh.triangles, edges, isSound)) return isKept;
  const isLeft = isSound.slice();
  dropDuplicates(mesh, isLeft, true);
  return isLeft;
}

function markSound({ positions, triangles }: RepairMesh): Uint8Array {
  const isKept = new Uint8Array(triangles.length / 3);
  for (let triangle = 0; triangle < isKept.length; triangle++) {
    const a = triangles[triangle * 3];
    const b = triangles[triangle * 3 + 1];
    const c = triangles[triangle * 3 + 2];
    if (a === b || b === c || c === a) continue;
    isKept[triangle] = isPlaced(positions, a) && isPlaced(positions, b) && isPlaced(positions, c) ? 1 : 0;
  }
  return isKept;
}

/** Whether all coordinates of a vertex are finite: their differences from themselves are 0 then, else NaN. */
function isPlaced(positions: Float64Array, vertex: number): boolean {
  const [x, y, z] = [positions[vertex * 3], positions[vertex * 3 + 1], positions[vertex * 3 + 2]];
  return x - x + (y - y) + (z - z) === 0;
}

/**
 * Triangles with the same corners share all three edges: they are found among those that share their lowest edge. With `keepsSurplus` only
 * pairs back to back go. `surplus` counts triangles left over by such pairs, beyond the first.
 */
function dropDuplicates(mesh: RepairMesh, isKept: Uint8Array, keepsSurplus: boolean) {
  const { triangles } = mesh;
  const groups = duplicateGroups(mesh, isKept);
  const isForward = (triangle: number) => isEvenTurn(triangles, triangle * 3);
  let backToBack = 0;
  for (const group of groups) {
    const forward = group.filter(isForward).length;
    backToBack += Math.min(forward, group.length - forward) * 2;
  }
  const isTwoSided = backToBack > isKept.length * TWO_SIDED_SHARE;
  let surplus = 0;
  for (const group of groups) {
    const forwardCount = group.filter(isForward).length;
    const balance = forwardCount * 2 - group.length; // above 0: most are walked forward
    if (balance === 0 && !isTwoSided) {
      for (const triangle of group) isKept[triangle] = 0;
      continue;
    }
    surplus += Math.max(0, Math.abs(balance) - 1);
    // The first in the file of those that outnumber the others.
    const majority = group.filter((triangle) => balance === 0 || isForward(triangle) === balance > 0);
    const keeps = majority.slice(0, keepsSurplus ? Math.abs(balance) : 1);
    for (const triangle of group) isKept[triangle] = keeps.includes(triangle) ? 1 : 0;
  }
  return { surplus, isTwoSided };
}

function duplicateGroups({ positions, triangles }: RepairMesh, isKept: Uint8Array): number[][] {
  const { order, starts } = buildEdges(triangles, positions.length / 3);
  const groups: number[][] = [];
  const byThird = new Map<number, number[]>();
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] < 2) continue;
    byThird.clear();
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      const h = order[i];
      const third = triangles[previousOf(h)];
      // The third corner is the highest only as seen from the triangle's lowest edge: each triangle counts once.
      if (isKept[triangleOf(h)] === 0 || third < Math.max(triangles[h], triangles[h % 3 === 2 ? h - 2 : h + 1]))
        continue;
      const same = byThird.get(third);
      if (same) same.push(triangleOf(h));
      else byThird.set(third, [triangleOf(h)]);
    }
    for (const group of byThird.values()) if (group.length > 1) groups.push(group);
  }
  return groups;
}

/** Whether the corners, turned so that the lowest comes first, ascend. */
function isEvenTurn(triangles: Uint32Array, at: number): boolean {
  const [a, b, c] = triangles.subarray(at, at + 3);
  return (a < b && b < c) || (b < c && c < a) || (c < a && a < b);
}
