import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { windingNumber } from '../spatial/winding-number.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import type { Edges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** A patch is classified by this many of its triangles, the largest. */
const MAX_SAMPLED_TRIANGLES = 32;

/**
 * The step `interior-walls`. Drops walls inside a body: patches that are bounded only by edges with 3, 5, ...
 * triangles, and whose sampled triangles have a positive winding number of the other patches on both sides (Jacobson et
 * al. 2013). The smallest patch comes first. A patch is kept if one of its edges lost a triangle before, so that no
 * edge becomes a boundary edge. Requires consistent winding. The notes count triangles.
 */
export const REMOVE_INTERIOR_WALLS: RepairStep = { name: 'interior-walls', run: removeInteriorWalls };

function removeInteriorWalls(mesh: TaggedMesh, { index }: StepContext): StepResult {
  const { positions, triangles } = mesh;
  const triangleCount = triangles.length / 3;
  if (index.edgeDefects().nonManifold.length === 0) return unchanged(mesh);
  const edges = index.edges();
  const patchOf = findPatchOf(triangleCount, edges);
  const outerEdges = findOddValencePatches(edges, patchOf);
  if (outerEdges.size === 0) return unchanged(mesh);

  const patches = measurePatches(mesh, patchOf, outerEdges);
  const tree = index.bvh();
  const dropped = new Set<number>();
  const isInside = (triangle: number): boolean => {
    const normal = doubleAreaNormal(positions, triangles, triangle);
    const middle = [0, 1, 2].map((k) =>
      [0, 1, 2].reduce((sum, i) => sum + positions[triangles[triangle * 3 + i] * 3 + k] / 3, 0),
    );
    const isOther = (other: number) => patchOf[other] !== patchOf[triangle] && !dropped.has(patchOf[other]);
    return [1, -1].every((side) => {
      const toward = normal.map((part) => part * side);
      return windingNumber(mesh, tree, middle, toward, isOther) > 0;
    });
  };
  const reducedEdges = new Set<number>(); // edges that lost a triangle
  for (const { patch, largest } of patches) {
    const patchEdges = outerEdges.get(patch) ?? [];
    if (patchEdges.some((edge) => reducedEdges.has(edge)) || !largest.every(isInside)) continue;
    dropped.add(patch);
    for (const edge of patchEdges) reducedEdges.add(edge);
  }
  if (dropped.size === 0) return unchanged(mesh);
  const kept: number[] = [];
  for (let triangle = 0; triangle < triangleCount; triangle++) if (!dropped.has(patchOf[triangle])) kept.push(triangle);
  return changed({ mesh: selectTriangles(mesh, kept) }, { count: triangleCount - kept.length });
}

/** Returns the candidates and their largest triangles, by ascending area. */
function measurePatches(mesh: TaggedMesh, patchOf: Uint32Array, candidates: ReadonlyMap<number, unknown>) {
  const areas = new Map<number, { triangle: number; area: number }[]>();
  for (let triangle = 0; triangle < patchOf.length; triangle++) {
    if (!candidates.has(patchOf[triangle])) continue;
    const entry = { triangle, area: Math.hypot(...doubleAreaNormal(mesh.positions, mesh.triangles, triangle)) };
    const existing = areas.get(patchOf[triangle]);
    if (existing) existing.push(entry);
    else areas.set(patchOf[triangle], [entry]);
  }
  const patches = [...areas].map(([patch, entries]) => {
    const areaMm2 = entries.reduce((sum, { area }) => sum + area, 0);
    const sorted = entries.sort((one, other) => other.area - one.area || one.triangle - other.triangle);
    return { patch, areaMm2, largest: sorted.slice(0, MAX_SAMPLED_TRIANGLES).map(({ triangle }) => triangle) };
  });
  return patches.sort((one, other) => one.areaMm2 - other.areaMm2 || one.patch - other.patch);
}

/** Finds the patches of a mesh: triangles connected through edges with exactly two triangles. Returns triangle → patch. */
export function findPatchOf(triangleCount: number, { order, starts }: Edges): Uint32Array {
  const sets = new DisjointSets(triangleCount);
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const offset = starts[edge];
    if (starts[edge + 1] - offset === 2) sets.union(triangleOf(order[offset]), triangleOf(order[offset + 1]));
  }
  return Uint32Array.from({ length: triangleCount }, (_, triangle) => sets.find(triangle));
}

/**
 * patch → its outer edges, for patches whose outer edges all have 3, 5, ... triangles. Omits patches with two triangles
 * at an edge: it would become a boundary edge without them.
 */
function findOddValencePatches({ order, starts }: Edges, patchOf: Uint32Array): Map<number, number[]> {
  const outerEdges = new Map<number, number[]>();
  const excludedPatches = new Set<number>();
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const count = starts[edge + 1] - starts[edge];
    if (count === 2) continue;
    const isOdd = count % 2 === 1 && count > 1;
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      const patch = patchOf[triangleOf(order[i])];
      const patchEdges = outerEdges.get(patch);
      if (!isOdd || patchEdges?.at(-1) === edge) excludedPatches.add(patch);
      else if (patchEdges) patchEdges.push(edge);
      else outerEdges.set(patch, [edge]);
    }
  }
  for (const patch of excludedPatches) outerEdges.delete(patch);
  return outerEdges;
}
