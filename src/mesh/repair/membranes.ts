import { doubleNormal } from '../spatial/double-normal.js';
import { buildTriangleTree } from '../spatial/triangle-tree.js';
import { windingNumber } from '../spatial/winding-number.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import { buildEdges, type Edges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { type RepairMesh, type RepairStep, type StepResult, withTriangles } from './step.js';

/**
 * Drops walls inside a body: patches that end at edges with an odd number of triangles only, and of which both sides are inside of what the
 * others enclose. The smallest first; none of which an edge has lost a triangle already, so that nothing opens. `changed` counts triangles.
 * Comes after the winding agrees.
 */
export const MEMBRANES: RepairStep = { name: 'membranes', run: dropMembranes };

function dropMembranes(mesh: RepairMesh): StepResult {
  const { positions, triangles } = mesh;
  const triangleCount = triangles.length / 3;
  const edges = buildEdges(triangles, positions.length / 3);
  const patchOf = findPatchOf(triangleCount, edges);
  const rims = findRims(edges, patchOf);
  if (rims.size === 0) return { mesh, changed: 0 };

  const { areaOf, largestOf } = measurePatches(mesh, patchOf, rims);
  const tree = buildTriangleTree(positions, triangles);
  const dropped = new Set<number>();
  const isInside = (patch: number): boolean => {
    const triangle = largestOf.get(patch) ?? patch;
    const normal = doubleNormal(positions, triangles, triangle);
    const middle = [0, 1, 2].map((k) =>
      [0, 1, 2].reduce((sum, i) => sum + positions[triangles[triangle * 3 + i] * 3 + k] / 3, 0),
    );
    const isOther = (other: number) => patchOf[other] !== patch && !dropped.has(patchOf[other]);
    return [1, -1].every((way) => {
      const toward = normal.map((part) => part * way);
      return windingNumber(mesh, tree, middle, toward, isOther) > 0;
    });
  };
  const isEven = new Set<number>(); // edges that have lost a triangle
  const sizeOf = (patch: number) => areaOf.get(patch) ?? 0;
  for (const [patch, rim] of [...rims].sort(([a], [b]) => sizeOf(a) - sizeOf(b) || a - b)) {
    if (rim.some((edge) => isEven.has(edge)) || !isInside(patch)) continue;
    dropped.add(patch);
    for (const edge of rim) isEven.add(edge);
  }
  if (dropped.size === 0) return { mesh, changed: 0 };
  const kept: number[] = [];
  for (let triangle = 0; triangle < triangleCount; triangle++) if (!dropped.has(patchOf[triangle])) kept.push(triangle);
  return { mesh: withTriangles(mesh, kept), changed: triangleCount - kept.length };
}

/** The areas, doubled, and the largest triangles of some patches. */
function measurePatches(
  { positions, triangles }: RepairMesh,
  patchOf: Uint32Array,
  asked: ReadonlyMap<number, unknown>,
) {
  const areaOf = new Map<number, number>();
  const largestOf = new Map<number, number>();
  const mostOf = new Map<number, number>();
  for (let triangle = 0; triangle < patchOf.length; triangle++) {
    const patch = patchOf[triangle];
    if (!asked.has(patch)) continue;
    const area = Math.hypot(...doubleNormal(positions, triangles, triangle));
    areaOf.set(patch, (areaOf.get(patch) ?? 0) + area);
    if (area <= (mostOf.get(patch) ?? -1)) continue;
    mostOf.set(patch, area);
    largestOf.set(patch, triangle);
  }
  return { areaOf, largestOf };
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

/** Patches all of whose outer edges have three, five, ... triangles → those edges */
function findRims({ order, starts }: Edges, patchOf: Uint32Array): Map<number, number[]> {
  const rims = new Map<number, number[]>();
  const others = new Set<number>();
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const count = starts[edge + 1] - starts[edge];
    if (count === 2) continue;
    const isOdd = count % 2 === 1 && count > 1;
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      const patch = patchOf[triangleOf(order[i])];
      const rim = rims.get(patch);
      if (!isOdd) others.add(patch);
      else if (rim) rim.push(edge);
      else rims.set(patch, [edge]);
    }
  }
  for (const patch of others) rims.delete(patch);
  return rims;
}
