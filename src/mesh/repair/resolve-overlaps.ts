import type { Analysis } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import { isPlanar } from '../geometry/is-planar.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import { recordStep, type StepSummary } from './close-surface.js';
import { INTERSECTIONS_LEFT, RESOLVE_INTERSECTIONS } from './resolve-intersections.js';
import { RETRIANGULATE_PLANAR_REGIONS } from './retriangulate-planar-regions.js';
import type { StepResult } from './step.js';

/** Corners closer to a plane than this fraction of the diagonal lie in it: float32 cannot represent the difference. */
const PLANE_TOLERANCE_FRACTION = 2 ** -24;

/**
 * Runs the two most expensive steps on a closed mesh: `planar-regions`, then `intersections`. Skips both if the
 * analysis found no intersections, or if the mesh is planar and cannot enclose a volume. If intersections remain and
 * the second step alone resolves them, the first one is skipped. Records both steps in `summary`.
 */
export function resolveOverlaps(
  mesh: TaggedMesh,
  closedAnalysis: Analysis,
  diagonalMm: number,
  summary: StepSummary,
): TaggedMesh {
  const mayIntersect = ['watertight', 'manifold'].includes(verdictOf(closedAnalysis).level);
  const [planarRegions, intersections] =
    mayIntersect && !isPlanar(mesh, diagonalMm * PLANE_TOLERANCE_FRACTION)
      ? runBothSteps(mesh, diagonalMm)
      : [unchanged(mesh), unchanged(mesh)];
  recordStep(RETRIANGULATE_PLANAR_REGIONS.name, planarRegions, summary);
  recordStep(RESOLVE_INTERSECTIONS.name, intersections, summary);
  return intersections.mesh;
}

function unchanged(mesh: TaggedMesh): StepResult {
  return { mesh, changed: 0 };
}

function runBothSteps(mesh: TaggedMesh, diagonalMm: number): [planarRegions: StepResult, intersections: StepResult] {
  const planarRegions = RETRIANGULATE_PLANAR_REGIONS.run(mesh, diagonalMm);
  const intersections = RESOLVE_INTERSECTIONS.run(planarRegions.mesh, diagonalMm);
  if (planarRegions.changed === 0 || !hasRemainingIntersections(intersections)) return [planarRegions, intersections];
  const intersectionsOnly = RESOLVE_INTERSECTIONS.run(mesh, diagonalMm);
  return hasRemainingIntersections(intersectionsOnly)
    ? [planarRegions, intersections]
    : [unchanged(mesh), intersectionsOnly];
}

function hasRemainingIntersections({ warnings = [] }: StepResult): boolean {
  return warnings.some(({ code }) => code === INTERSECTIONS_LEFT);
}
