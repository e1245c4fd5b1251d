import type { InnerShellRule, Report } from '../analysis/report.js';
import type { OnProgress } from '../core/mesh.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import { CLEAN } from './clean.js';
import { FLIP_DEGENERATE } from './flip-degenerate.js';
import { HOLES } from './holes.js';
import { REMOVE_INTERIOR_WALLS } from './interior-walls.js';
import { REMOVE_OPEN_FRAGMENTS } from './open-fragments.js';
import { ORIENT } from './orient.js';
import { createOrientShellsStep } from './orient-shells.js';
import { SNAP_STRAY_CORNERS } from './snap-stray-corners.js';
import { SPLIT_FANS } from './split-fans.js';
import type { RepairStep, StepResult } from './step.js';
import { STITCH } from './stitch.js';
import { T_JUNCTIONS } from './t-junctions.js';

/** What the steps so far reported. */
export type StepSummary = Required<
  Pick<Report, 'steps' | 'warnings' | 'filledAreaMm2' | 'maxDisplacementMm' | 'innerShells'>
>;

export interface CloseSurfaceOptions {
  onProgress?: OnProgress | undefined;
  /** How to treat closed shells inside others. Default: `auto`. */
  innerShells?: InnerShellRule | undefined;
  /** Keep open fragments. Default: false. */
  preserveTopology?: boolean | undefined;
}

/** Runs the repair steps that close a mesh, in order. Intersections remain. */
export function closeSurface(
  mesh: TaggedMesh,
  diagonalMm: number,
  { onProgress, innerShells = 'auto', preserveTopology }: CloseSurfaceOptions,
): { mesh: TaggedMesh; summary: StepSummary } {
  const fragmentSteps = preserveTopology ? [] : [REMOVE_OPEN_FRAGMENTS];
  const orientShells = createOrientShellsStep(innerShells);
  const steps = [
    ...[CLEAN, STITCH, SNAP_STRAY_CORNERS, T_JUNCTIONS, ORIENT, REMOVE_INTERIOR_WALLS],
    ...fragmentSteps,
    ...[HOLES, orientShells, SPLIT_FANS, FLIP_DEGENERATE],
  ];
  const summary: StepSummary = { steps: [], warnings: [], filledAreaMm2: 0, maxDisplacementMm: 0, innerShells: [] };
  let current = mesh;
  steps.forEach((step, index) => {
    current = runStep(step, current, diagonalMm, summary);
    onProgress?.((index + 1) / steps.length);
  });
  return { mesh: current, summary };
}

/** Runs one step and adds its result to `summary`. */
function runStep(step: RepairStep, mesh: TaggedMesh, diagonalMm: number, summary: StepSummary): TaggedMesh {
  const result = step.run(mesh, diagonalMm);
  recordStep(step.name, result, summary);
  return result.mesh;
}

/** Adds what a step reported to `summary`. */
export function recordStep(name: string, result: StepResult, summary: StepSummary): void {
  summary.steps.push({ name, changed: result.changed });
  summary.filledAreaMm2 += result.filledAreaMm2 ?? 0;
  summary.maxDisplacementMm = Math.max(summary.maxDisplacementMm, result.maxDisplacementMm ?? 0);
  summary.warnings.push(...(result.warnings ?? []));
  summary.innerShells.push(...(result.innerShells ?? []));
}
