import { listPerturbations, RESOLUTION_BUDGET, resolveIntersections } from '../arrangement/resolve-intersections.js';
import type { IndexedMesh } from '../core/mesh.js';
import { createWorkCounter, type WorkCounter } from '../core/work-counter.js';
import { computeBounds, diagonalOf } from '../geometry/bounds.js';
import { type Point, ZERO } from '../geometry/far-origin.js';
import { createMeshState } from '../spatial/mesh-index.js';
import { fromTaggedMesh, toTaggedMesh } from '../topology/tagged-mesh.js';

/**
 * With more broken triangles than this, the details of the model are below the float32 resolution: nothing is resolved.
 */
const MAX_BROKEN_TRIANGLES = 100;
/** The same limit as a fraction of all triangles. */
const MAX_BROKEN_FRACTION = 0.5;
/**
 * Smallest perturbation of intersecting vertices, as a fraction of the largest coordinate relative to the origin: at least four float32 ulps.
 * Vertices that are closer to each other would intersect again after rounding.
 */
const MIN_PERTURBATION_FRACTION = 2 ** -21;
/** Perturbation of the first attempt, as a fraction of the size. */
const BASE_PERTURBATION_FRACTION = 1e-6;

/**
 * Resolves the intersections that remain after rounding, by a self-union. Returns `undefined` if there are too many
 * broken triangles, or if it does not succeed. `maxDisplacementMm` is the largest move of a vertex.
 *
 * @param work counts the work. Default: without a limit.
 * @param origin the point relative to which positions are float32. Default: zero.
 */
export function resolveRemainingIntersections(
  mesh: IndexedMesh,
  brokenTriangles: number,
  work: WorkCounter = createWorkCounter(),
  origin: Point = ZERO,
): { mesh: IndexedMesh; maxDisplacementMm: number } | undefined {
  if (brokenTriangles > Math.min(MAX_BROKEN_TRIANGLES, (mesh.triangles.length / 3) * MAX_BROKEN_FRACTION))
    return undefined;
  const box = computeBounds(mesh.positions);
  const farthestMm = Math.max(...origin.flatMap((value, k) => [value - box.min[k], box.max[k] - value]).map(Math.abs));
  const sizeMm = Math.max(diagonalOf(box), (farthestMm * MIN_PERTURBATION_FRACTION) / BASE_PERTURBATION_FRACTION);
  const source = createMeshState(toTaggedMesh(mesh));
  if (!source.index.isClosed()) return undefined;
  const { initialCount, resolved } = resolveIntersections(source, listPerturbations(sizeMm), RESOLUTION_BUDGET, work);
  if (resolved === undefined || initialCount === 0) return undefined;
  return { mesh: fromTaggedMesh(resolved.state.mesh, mesh.objects), maxDisplacementMm: resolved.maxDisplacementMm };
}
