import { analyze, analyzeWithPlaces } from '../analysis/analyze.js';
import { unchangedReport } from '../analysis/describe-model.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh, OnProgress } from '../mesh.js';
import type { Analysis, Report, ReportWarning } from '../report.js';
import { CLEAN } from './clean.js';
import { DEBRIS } from './debris.js';
import { FLIP_FLAT } from './flip-flat.js';
import { HOLES } from './holes.js';
import { LOOSE_CORNERS } from './loose-corners.js';
import { fromRepairMesh, toRepairMesh } from './object-tags.js';
import { ORIENT } from './orient.js';
import { RESOLVE_INTERSECTIONS } from './resolve-intersections.js';
import { SHELLS_OUTWARD } from './shells-outward.js';
import { SPLIT_FANS } from './split-fans.js';
import type { RepairMesh, RepairStep } from './step.js';
import { STITCH } from './stitch.js';
import { T_JUNCTIONS } from './t-junctions.js';

/** The pipeline, in the order in which it runs; `RESOLVE_INTERSECTIONS` comes last, where it is needed. */
const STEPS: readonly RepairStep[] = [
  CLEAN,
  STITCH,
  LOOSE_CORNERS,
  T_JUNCTIONS,
  ORIENT,
  DEBRIS,
  HOLES,
  SHELLS_OUTWARD,
  SPLIT_FANS,
  FLIP_FLAT,
];

/** A volume that moved by more than this share is worth a warning. */
const VOLUME_SHARE = 0.05;
/** Less than this share of area times size is no volume, but what rounding leaves of a flat sheet. */
const LEAST_VOLUME_SHARE = 1e-12;

export interface RepairOptions {
  onProgress?: OnProgress | undefined;
}

export interface RepairResult {
  mesh: IndexedMesh;
  report: Report;
  /** Whether the mesh is at least watertight now, and has a volume. */
  isSuccessful: boolean;
  /** Why not. */
  reason?: string;
}

/**
 * Repairs a mesh: a pipeline of named steps, each with its line in the report. The same mesh gives the same result, bit by bit. A mesh that
 * is a solid already comes back as it is. What cannot be repaired is no exception: `isSuccessful` is false, and `mesh` is as far as it got.
 */
export function repair(mesh: IndexedMesh, options: RepairOptions = {}): RepairResult {
  const { analysis: before, places } = analyzeWithPlaces(mesh);
  options.onProgress?.(0.3);
  if (!verdictOf(before).needsRepair) return { mesh, report: unchangedReport(before), isSuccessful: true };

  const diagonalMm = Math.hypot(before.dimensionXMm, before.dimensionYMm, before.dimensionZMm);
  let current: RepairMesh = toRepairMesh(mesh);
  const done: Done = { steps: [], warnings: [], filledAreaMm2: 0, maxDisplacementMm: 0 };
  STEPS.forEach((step, index) => {
    current = runStep(step, current, diagonalMm, done);
    options.onProgress?.(0.3 + (0.2 * (index + 1)) / STEPS.length);
  });
  let repaired = fromRepairMesh(current, mesh.objects);
  let after = analyze(repaired);
  options.onProgress?.(0.7);
  // The dearest step, and one that solids need not go through: only where the exact check of what is closed found something.
  if (['watertight', 'manifold'].includes(verdictOf(after).level)) {
    const resolved = runStep(RESOLVE_INTERSECTIONS, current, diagonalMm, done);
    if (resolved !== current) {
      repaired = fromRepairMesh(resolved, mesh.objects);
      after = analyze(repaired);
    }
  } else done.steps.push({ name: RESOLVE_INTERSECTIONS.name, changed: 0 });
  options.onProgress?.(1);
  const reason = reasonOf(after);
  const report: Report = {
    before,
    after,
    ...done,
    places,
    volumeChangeMm3: after.volumeMm3 - before.volumeMm3,
    areaChangeMm2: after.surfaceAreaMm2 - before.surfaceAreaMm2,
    warnings: [...done.warnings, ...volumeWarning(before, after)],
    verdict: verdictOf(after),
  };
  return reason === undefined
    ? { mesh: repaired, report, isSuccessful: true }
    : { mesh: repaired, report, isSuccessful: false, reason };
}

/** What the steps so far have done. */
type Done = Pick<Report, 'steps' | 'warnings' | 'filledAreaMm2' | 'maxDisplacementMm'>;

function runStep(step: RepairStep, mesh: RepairMesh, diagonalMm: number, done: Done): RepairMesh {
  const result = step.run(mesh, diagonalMm);
  done.steps.push({ name: step.name, changed: result.changed });
  done.filledAreaMm2 += result.filledAreaMm2 ?? 0;
  done.maxDisplacementMm = Math.max(done.maxDisplacementMm, result.maxDisplacementMm ?? 0);
  done.warnings.push(...(result.warnings ?? []));
  return result.mesh;
}

function reasonOf(after: Analysis): string | undefined {
  if (after.triangles === 0) return 'nothing is left: the file holds no triangle that belongs to a surface';
  const verdict = verdictOf(after);
  const size = Math.max(after.dimensionXMm, after.dimensionYMm, after.dimensionZMm);
  const hasVolume = after.volumeMm3 > after.surfaceAreaMm2 * size * LEAST_VOLUME_SHARE;
  if (verdict.level !== 'solid' && !hasVolume) return 'the surface encloses no volume: it is a sheet, not a body';
  return verdict.level === 'open' ? `the surface could not be closed: ${verdict.reasons.join(', ')}` : undefined;
}

/** Only where the volume meant something before: of an open or inconsistently wound mesh it is a number without sense. */
function volumeWarning(before: Analysis, after: Analysis): ReportWarning[] {
  const change = Math.abs(after.volumeMm3 - before.volumeMm3);
  if (before.badEdges > 0 || change <= Math.abs(before.volumeMm3) * VOLUME_SHARE) return [];
  const message = `The volume went from ${before.volumeMm3.toPrecision(6)} to ${after.volumeMm3.toPrecision(6)} mm³`;
  return [{ code: 'VOLUME_CHANGED', message }];
}
