import { computeBounds, diagonalOf } from '../analysis/measure.js';
import type { IndexedMesh } from '../core/mesh.js';
import { fromRepairMesh, toRepairMesh } from '../repair/repair-mesh.js';
import { RESOLVE_INTERSECTIONS } from '../repair/resolve-intersections.js';

/** More broken triangles than this, or than this share of all, are no matter of a few places: the model is finer than float32 there. */
const MAX_BROKEN_TRIANGLES = 100;
const MAX_BROKEN_FRACTION = 0.5;
/** Vertices of what crosses are moved by some steps of float32 at least: what is nearer to each other would cross again when it is rounded. */
const MIN_PERTURBATION_FRACTION = 2 ** -21;
/** The least share of its size by which that step of a repair moves vertices. */
const BASE_PERTURBATION_FRACTION = 1e-6;

/** Makes one outer surface where a rounded mesh still crosses itself. Nothing where that does not succeed, or would be too much. */
export function resolveRemainingIntersections(
  mesh: IndexedMesh,
  brokenTriangles: number,
): { mesh: IndexedMesh; maxDisplacementMm: number } | undefined {
  if (brokenTriangles > Math.min(MAX_BROKEN_TRIANGLES, (mesh.triangles.length / 3) * MAX_BROKEN_FRACTION))
    return undefined;
  const box = computeBounds(mesh.positions);
  const farthestMm = Math.max(...box.min.map(Math.abs), ...box.max.map(Math.abs));
  const sizeMm = Math.max(diagonalOf(box), (farthestMm * MIN_PERTURBATION_FRACTION) / BASE_PERTURBATION_FRACTION);
  const { mesh: outer, changed, maxDisplacementMm = 0 } = RESOLVE_INTERSECTIONS.run(toRepairMesh(mesh), sizeMm);
  return changed > 0 ? { mesh: fromRepairMesh(outer, mesh.objects), maxDisplacementMm } : undefined;
}
