import { verdictOf } from '../analysis/verdict.js';
import type { Analysis } from '../report.js';
import { isPlanar } from '../spatial/is-in-plane.js';
import { type Done, noteStep } from './close-surface.js';
import { FLAT_REGIONS } from './flat-regions.js';
import { INTERSECTIONS_LEFT, RESOLVE_INTERSECTIONS } from './resolve-intersections.js';
import type { RepairMesh, StepResult } from './step.js';

/** Corners this near a plane, as a share of the diagonal, are in it: float32 could not tell them from it. */
const FLAT_SHARE = 2 ** -24;

/**
 * Runs the dearest steps on a closed surface: flat regions anew, then one outer surface of what crosses. Only where its analysis found something,
 * and not for a sheet, which they would pierce in vain. Where something crosses still, and would not without the first of them, that is left out.
 */
export function resolveClosed(mesh: RepairMesh, closed: Analysis, diagonalMm: number, done: Done): RepairMesh {
  const isDoubtful = ['watertight', 'manifold'].includes(verdictOf(closed).level);
  const [flat, resolved] =
    isDoubtful && !isPlanar(mesh, diagonalMm * FLAT_SHARE) ? bothSteps(mesh, diagonalMm) : [asItIs(mesh), asItIs(mesh)];
  noteStep(FLAT_REGIONS.name, flat, done);
  noteStep(RESOLVE_INTERSECTIONS.name, resolved, done);
  return resolved.mesh;
}

const asItIs = (mesh: RepairMesh): StepResult => ({ mesh, changed: 0 });

function bothSteps(mesh: RepairMesh, diagonalMm: number): [flat: StepResult, resolved: StepResult] {
  const flat = FLAT_REGIONS.run(mesh, diagonalMm);
  const resolved = RESOLVE_INTERSECTIONS.run(flat.mesh, diagonalMm);
  if (flat.changed === 0 || !isLeft(resolved)) return [flat, resolved];
  const alone = RESOLVE_INTERSECTIONS.run(mesh, diagonalMm);
  return isLeft(alone) ? [flat, resolved] : [asItIs(mesh), alone];
}

const isLeft = ({ warnings = [] }: StepResult): boolean => warnings.some(({ code }) => code === INTERSECTIONS_LEFT);
