import type { RepairResult } from '../analysis/repair-result.js';
import type { Box3, IndexedMesh } from '../core/mesh.js';
import { computeBounds, diagonalOf } from '../geometry/bounds.js';
import { findParts, namePart, splitParts } from '../spatial/split-parts.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import { buildEdges } from '../topology/edges.js';
import { findShells } from '../topology/shells.js';
import { toTaggedMesh } from '../topology/tagged-mesh.js';
import { listNames } from './combine-warnings.js';
import { type RepairOptions, repair } from './repair.js';

/** The report lists at most this many names of parts. */
const MAX_UNITED_PARTS = 1000;

/**
 * Repairs a model as one mesh, as `repair` does: parts that touch or overlap are united. The report names them in
 * `unitedParts` and in the warning `PARTS_UNITED`.
 */
export function repairUnited(mesh: IndexedMesh, options: RepairOptions = {}): RepairResult {
  const { objects = [] } = mesh;
  if (objects.length < 2) return repair(mesh, options);
  // The names of objects need not differ: they are replaced by their numbers meanwhile.
  const numbered = { ...mesh, objects: objects.map((object, i) => ({ ...object, name: String(i) })) };
  const result = repair(numbered, options);
  if (result.mesh === numbered) return { ...result, mesh };
  const unitedParts = findUnitedParts(mesh, result.mesh);
  const named = result.mesh.objects?.map((object) => ({ ...object, name: objects[Number(object.name)].name }));
  const renamed = { ...result, mesh: { ...result.mesh, ...(named && { objects: named }) } };
  if (unitedParts.length === 0) return renamed;
  const message = `${unitedParts.length} parts were united: ${listNames(unitedParts)}.`;
  const { report } = renamed;
  const warnings = [...report.warnings, { code: 'PARTS_UNITED' as const, message }];
  return { ...renamed, report: { ...report, unitedParts: unitedParts.slice(0, MAX_UNITED_PARTS), warnings } };
}

/**
 * Returns the names of the parts of a mesh that share a shell in the result, or of which nothing is left within another one.
 * The objects of the result are named by their numbers in the mesh.
 */
function findUnitedParts(mesh: IndexedMesh, result: IndexedMesh): string[] {
  const found = findParts(mesh);
  const { partOf, count } = found;
  const partByTag = [0, ...(result.objects ?? []).map(({ name }) => Number(name) + 1)].map((tag) => partOf[tag]);
  const { triangles, positions, objectOf } = toTaggedMesh(result);
  const { shellOf, count: shellCount } = findShells(triangles.length / 3, buildEdges(triangles, positions.length / 3));
  const sets = new DisjointSets(shellCount + count); // the shells of the result, then the parts
  const hasTriangles = new Uint8Array(count);
  for (const [triangle, shell] of shellOf.entries()) {
    const part = partByTag[objectOf[triangle]];
    if (part < 0) continue;
    hasTriangles[part] = 1;
    sets.union(shell, shellCount + part);
  }
  const parts = splitParts(mesh, found);
  const boxes = hasTriangles.includes(0) ? parts.map(({ positions: points }) => computeBounds(points)) : [];
  for (const [part, hasAny] of hasTriangles.entries()) {
    const around = hasAny === 0 ? findSmallestAround(boxes, part, hasTriangles) : undefined;
    if (around !== undefined) sets.union(shellCount + around, shellCount + part);
  }
  const sizes = new Map<number, number>(); // set → its number of parts
  const setOf = (part: number) => sets.find(shellCount + part);
  for (let part = 0; part < count; part++) sizes.set(setOf(part), (sizes.get(setOf(part)) ?? 0) + 1);
  return parts.map(namePart).filter((_, part) => (sizes.get(setOf(part)) ?? 0) > 1);
}

/** Returns the smallest of the parts with triangles in the result whose bounds contain those of a part. */
function findSmallestAround(boxes: readonly Box3[], part: number, hasTriangles: Uint8Array): number | undefined {
  const { min, max } = boxes[part];
  const containing = [...boxes.keys()].filter((other) => {
    if (other === part || hasTriangles[other] === 0) return false;
    const box = boxes[other];
    return [0, 1, 2].every((k) => box.min[k] <= min[k] && box.max[k] >= max[k]);
  });
  return containing.sort((a, b) => diagonalOf(boxes[a]) - diagonalOf(boxes[b]))[0];
}
