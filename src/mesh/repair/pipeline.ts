import type { Analysis } from '../analysis/report.js';
import { hasMatchingEdges, verdictOf } from '../analysis/verdict.js';
import { hasTouchingShells } from '../arrangement/contacts/find-contact-regions.js';
import { isPlanar } from '../geometry/is-planar.js';
import { REPAIR_STEPS, type StepCondition } from './repair-steps.js';
import { RETRIANGULATE_PLANAR_REGIONS } from './retriangulate-planar-regions.js';
import { type RepairState, runSteps, skipSteps } from './run-steps.js';
import type { RepairContext, RepairStep } from './step.js';
import { INTERSECTIONS_LEFT } from './unite-intersecting.js';

/** Runs the repair steps that close a mesh. Intersections remain. `preserveTopology` keeps open fragments. */
export function closeSurface(start: RepairState, context: RepairContext, preserveTopology: boolean): RepairState {
  return runSteps(listSteps(preserveTopology ? ['always'] : ['always', 'topology']), start, context);
}

/**
 * Runs the two most expensive steps on a closed mesh: `planar-regions`, then `intersections`. Skips both if the
 * analysis found no intersections and no shells touch, or if the mesh is planar and cannot enclose a volume. If intersections remain and
 * the second step alone resolves them, the first one is skipped. `isChanged` tells whether they changed the mesh.
 */
export function uniteOverlaps(closed: RepairState, closedAnalysis: Analysis, context: RepairContext): RepairState {
  const start: RepairState = { ...closed, isChanged: false };
  const steps = listSteps(['intersections']);
  const { inPlaneMm, touchMm, sheetMm } = context.tolerances;
  const mayIntersect =
    hasMatchingEdges(closedAnalysis) &&
    (verdictOf(closedAnalysis).level !== 'solid' ||
      hasTouchingShells(start.index, closed.isChanged ? inPlaneMm : touchMm));
  if (!mayIntersect || isPlanar(start.mesh, sheetMm)) return skipSteps(steps, start);
  const united = runSteps(steps, start, context);
  if (!hasRetriangulated(united) || !hasRemainingIntersections(united)) return united;
  const [planarRegions, ...others] = steps;
  const alternative = runSteps(others, skipSteps([planarRegions], start), context);
  return hasRemainingIntersections(alternative) ? united : alternative;
}

function listSteps(conditions: readonly StepCondition[]): RepairStep[] {
  return REPAIR_STEPS.filter(({ when }) => conditions.includes(when)).map(({ step }) => step);
}

function hasRetriangulated({ summary }: RepairState): boolean {
  return summary.steps.some(({ name, changed }) => name === RETRIANGULATE_PLANAR_REGIONS.name && changed > 0);
}

function hasRemainingIntersections({ summary }: RepairState): boolean {
  return summary.warnings.some(({ code }) => code === INTERSECTIONS_LEFT);
}
