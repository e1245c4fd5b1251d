import type { Analysis } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import { isPlanar } from '../geometry/is-planar.js';
import { recordStep, type StepSummary } from './close-surface.js';
import { INTERSECTIONS_LEFT, RESOLVE_INTERSECTIONS } from './resolve-intersections.js';
import { RETRIANGULATE_PLANAR_REGIONS } from './retriangulate-planar-regions.js';
import type { RepairMesh, StepResult } from './step.js';

/** Corners this near a plane, as a share of the diagonal, are in it: float32 could not tell them from it. */
const PLANE_TOLERANCE_FRACTION = 2 ** -24;

/**
 * Runs the dearest steps on a closed surface: flat regions anew, then one outer surface of what crosses. Only where its analysis found something,
 * and not for a sheet, which they would pierce in vain. Where something crosses still, and would not without the first of them, that is left out.
 */
export function resolveOverlaps(
  mesh: RepairMesh,
  closed: Analysis,
  diagonalMm: number,
  summary: StepSummary,
): RepairMesh {
  const mayIntersect = ['watertight', 'manifold'].includes(verdictOf(closed).level);
  const [flat, resolved] =
    mayIntersect && !isPlanar(mesh, diagonalMm * PLANE_TOLERANCE_FRACTION)
      ? runBothSteps(mesh, diagonalMm)
      : [unchanged(mesh), unchanged(mesh)];
  recordStep(RETRIANGULATE_PLANAR_REGIONS.name, flat, summary);
  recordStep(RESOLVE_INTERSECTIONS.name, resolved, summary);
  return resolved.mesh;
}

const unchanged = (mesh: RepairMesh): StepResult => ({ mesh, changed: 0 });

function runBothSteps(mesh: RepairMesh, diagonalMm: number): [flat: StepResult, resolved: StepResult] {
  const flat = RETRIANGULATE_PLANAR_REGIONS.run(mesh, diagonalMm);
  const resolved = RESOLVE_INTERSECTIONS.run(flat.mesh, diagonalMm);
  if (flat.changed === 0 || !hasRemainingIntersections(resolved)) return [flat, resolved];
  const alone = RESOLVE_INTERSECTIONS.run(mesh, diagonalMm);
  return hasRemainingIntersections(alone) ? [flat, resolved] : [unchanged(mesh), alone];
}

const hasRemainingIntersections = ({ warnings = [] }: StepResult): boolean =>
  warnings.some(({ code }) => code === INTERSECTIONS_LEFT);
