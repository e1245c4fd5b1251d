import { computeBounds, diagonalOf } from '../analysis/measure.js';
import type { IndexedMesh } from '../mesh.js';
import { fromRepairMesh, toRepairMesh } from '../repair/object-tags.js';
import { RESOLVE_INTERSECTIONS } from '../repair/resolve-intersections.js';

/** More broken triangles than this, or than this share of all, are no matter of a few places: the model is finer than float32 there. */
const MOST_BROKEN = 100;
const MOST_SHARE = 0.5;
/** Vertices of what crosses are moved by some steps of float32 at least: what is nearer to each other would cross again when it is rounded. */
const LEAST_SHARE = 2 ** -21;
/** The least share of its size by which that step of a repair moves vertices. */
const SHARE_OF_SIZE = 1e-6;

/** Makes one outer surface where a rounded mesh still crosses itself. Nothing where that does not succeed, or would be too much. */
export function resolveBroken(
  mesh: IndexedMesh,
  brokenTriangles: number,
): { mesh: IndexedMesh; maxDisplacementMm: number } | undefined {
  if (brokenTriangles > Math.min(MOST_BROKEN, (mesh.triangles.length / 3) * MOST_SHARE)) return undefined;
  const box = computeBounds(mesh.positions);
  const farthestMm = Math.max(...box.min.map(Math.abs), ...box.max.map(Math.abs));
  const sizeMm = Math.max(diagonalOf(box), (farthestMm * LEAST_SHARE) / SHARE_OF_SIZE);
  const { mesh: outer, changed, maxDisplacementMm = 0 } = RESOLVE_INTERSECTIONS.run(toRepairMesh(mesh), sizeMm);
  return changed > 0 ? { mesh: fromRepairMesh(outer, mesh.objects), maxDisplacementMm } : undefined;
}
