import { doubleNormal } from '../spatial/double-normal.js';
import { buildTriangleTree } from '../spatial/triangle-tree.js';
import { windingNumber } from '../spatial/winding-number.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import { buildEdges, type Edges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { type RepairMesh, type RepairStep, type StepResult, withTriangles } from './step.js';

/**
 * Drops walls inside a body: patches that end at edges with an odd number of triangles only, and of which both sides are inside of what the
 * others enclose. `changed` counts triangles. Comes after the winding agrees.
 */
export const MEMBRANES: RepairStep = { name: 'membranes', run: dropMembranes };

function dropMembranes(mesh: RepairMesh): StepResult {
  const { positions, triangles } = mesh;
  const triangleCount = triangles.length / 3;
  const edges = buildEdges(triangles, positions.length / 3);
  const patchOf = findPatchOf(triangleCount, edges);
  const candidates = findCandidates(edges, patchOf);
  if (candidates.size === 0) return { mesh, changed: 0 };

  const largest = new Map<number, { triangle: number; area: number }>(); // patch → its largest triangle
  for (let triangle = 0; triangle < triangleCount; triangle++) {
    if (!candidates.has(patchOf[triangle])) continue;
    const area = Math.hypot(...doubleNormal(positions, triangles, triangle));
    if (area > (largest.get(patchOf[triangle])?.area ?? 0)) largest.set(patchOf[triangle], { triangle, area });
  }
  const tree = buildTriangleTree(positions, triangles);
  const isInside = (patch: number, triangle: number): boolean => {
    const normal = doubleNormal(positions, triangles, triangle);
    const middle = [0, 1, 2].map((k) =>
      [0, 1, 2].reduce((sum, i) => sum + positions[triangles[triangle * 3 + i] * 3 + k] / 3, 0),
    );
    const isOther = (other: number) => patchOf[other] !== patch;
    return [1, -1].every((way) => {
      const toward = normal.map((part) => part * way);
      return windingNumber(mesh, tree, middle, toward, isOther) > 0;
    });
  };
  const dropped = new Set<number>();
  for (const [patch, { triangle }] of largest) if (isInside(patch, triangle)) dropped.add(patch);
  if (dropped.size === 0) return { mesh, changed: 0 };
  const kept: number[] = [];
  for (let triangle = 0; triangle < triangleCount; triangle++) if (!dropped.has(patchOf[triangle])) kept.push(triangle);
  return { mesh: withTriangles(mesh, kept), changed: triangleCount - kept.length };
}

/** triangle → its patch: triangles that hang together through edges of two */
function findPatchOf(triangleCount: number, { order, starts }: Edges): Uint32Array {
  const sets = new DisjointSets(triangleCount);
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const at = starts[edge];
    if (starts[edge + 1] - at === 2) sets.join(triangleOf(order[at]), triangleOf(order[at + 1]));
  }
  return Uint32Array.from({ length: triangleCount }, (_, triangle) => sets.find(triangle));
}

/** Patches all of whose outer edges have three, five, ... triangles. */
function findCandidates({ order, starts }: Edges, patchOf: Uint32Array): Set<number> {
  const candidates = new Set<number>();
  const others = new Set<number>();
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const count = starts[edge + 1] - starts[edge];
    if (count === 2) continue;
    const patches = count % 2 === 1 && count > 1 ? candidates : others;
    for (let i = starts[edge]; i < starts[edge + 1]; i++) patches.add(patchOf[triangleOf(order[i])]);
  }
  for (const patch of others) candidates.delete(patch);
  return candidates;
}
