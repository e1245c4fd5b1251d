import type { OnProgress } from '../mesh.js';
import type { InnerShellRule, Report } from '../report.js';
import { CLEAN } from './clean.js';
import { DEBRIS } from './debris.js';
import { FLIP_FLAT } from './flip-flat.js';
import { HOLES } from './holes.js';
import { LOOSE_CORNERS } from './loose-corners.js';
import { MEMBRANES } from './membranes.js';
import { ORIENT } from './orient.js';
import { createShellStep } from './shell-step.js';
import { SPLIT_FANS } from './split-fans.js';
import type { RepairMesh, RepairStep, StepResult } from './step.js';
import { STITCH } from './stitch.js';
import { T_JUNCTIONS } from './t-junctions.js';

/** What the steps so far have done. */
export type Done = Required<Pick<Report, 'steps' | 'warnings' | 'filledAreaMm2' | 'maxDisplacementMm' | 'innerShells'>>;

export interface ClosingOptions {
  onProgress?: OnProgress | undefined;
  /** What becomes of closed shells inside others. Default: `auto`. */
  innerShells?: InnerShellRule | undefined;
  /** Drops no scraps. Default: false. */
  keepsTopology?: boolean | undefined;
}

/** Runs the steps that make a closed surface of a mesh, in their order; what crosses itself still does afterwards. */
export function closeSurface(
  mesh: RepairMesh,
  diagonalMm: number,
  { onProgress, innerShells = 'auto', keepsTopology }: ClosingOptions,
): { mesh: RepairMesh; done: Done } {
  const scraps = keepsTopology ? [] : [DEBRIS];
  const shells = createShellStep(innerShells);
  const steps = [
    ...[CLEAN, STITCH, LOOSE_CORNERS, T_JUNCTIONS, ORIENT, MEMBRANES],
    ...scraps,
    ...[HOLES, shells, SPLIT_FANS, FLIP_FLAT],
  ];
  const done: Done = { steps: [], warnings: [], filledAreaMm2: 0, maxDisplacementMm: 0, innerShells: [] };
  let current = mesh;
  steps.forEach((step, index) => {
    current = runStep(step, current, diagonalMm, done);
    onProgress?.((index + 1) / steps.length);
  });
  return { mesh: current, done };
}

/** Runs one step and writes what it did into `done`. */
function runStep(step: RepairStep, mesh: RepairMesh, diagonalMm: number, done: Done): RepairMesh {
  const result = step.run(mesh, diagonalMm);
  noteStep(step.name, result, done);
  return result.mesh;
}

/** Writes into `done` what a step did. */
export function noteStep(name: string, result: StepResult, done: Done): void {
  done.steps.push({ name, changed: result.changed });
  done.filledAreaMm2 += result.filledAreaMm2 ?? 0;
  done.maxDisplacementMm = Math.max(done.maxDisplacementMm, result.maxDisplacementMm ?? 0);
  done.warnings.push(...(result.warnings ?? []));
  done.innerShells.push(...(result.innerShells ?? []));
}
