import type { ReportWarning } from '../analysis/report.js';
import { createWorkLimitWarning } from '../analysis/work-limit-warning.js';
import { createResolutionWork, resolveIntersections } from '../arrangement/resolve-intersections.js';
import { pluralize } from '../core/pluralize.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** The code of the warning that intersections remain. */
export const INTERSECTIONS_LEFT = 'INTERSECTIONS_LEFT';

/**
 * The step `intersections`. Computes the self-union of a closed mesh (see `resolveIntersections`). If no attempt has
 * fewer intersecting triangles than the mesh, or each would lose a part of the model, the mesh stays unchanged, with a
 * warning. The notes count triangles that no longer intersect.
 */
export const UNITE_INTERSECTING: RepairStep = { name: 'intersections', run: uniteIntersecting };

function uniteIntersecting(mesh: TaggedMesh, { index, tolerances, budget }: StepContext): StepResult {
  if (!index.isClosed()) return unchanged(mesh);
  const work = createResolutionWork(mesh.triangles.length / 3);
  const { perturbationsMm } = tolerances;
  const { initialCount, resolved } = resolveIntersections({ mesh, index }, perturbationsMm, budget.resolution, work);
  const isWorkExceeded = work.isExceeded();
  if (resolved === undefined) return unchanged(mesh, { warnings: createWarnings(initialCount, isWorkExceeded) });
  const { state, remainingCount } = resolved;
  const maxDisplacementMm = initialCount > 0 ? resolved.maxDisplacementMm : 0;
  const notes = {
    count: initialCount - remainingCount,
    maxDisplacementMm,
    warnings: createWarnings(remainingCount, isWorkExceeded),
  };
  return changed(state, notes);
}

function createWarnings(remainingCount: number, isWorkExceeded: boolean): ReportWarning[] {
  if (remainingCount === 0) return [];
  const remaining = pluralize(remainingCount, 'triangle still intersects', 'triangles still intersect');
  const message = `${remaining}: resolving them would remove part of the model or exceed the work limit.`;
  const warnings: ReportWarning[] = [{ code: INTERSECTIONS_LEFT, message }];
  return isWorkExceeded ? [...warnings, createWorkLimitWarning('intersections')] : warnings;
}
