import { analyzeWithPlaces } from '../analysis/analyze.js';
import { createUnchangedReport } from '../analysis/unchanged-report.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh, OnProgress } from '../mesh.js';
import type { Analysis, AnalysisWithPlaces, InnerShell, InnerShellRule, Report } from '../report.js';
import { closeSurface, type Done } from './close-surface.js';
import { fromRepairMesh, toRepairMesh } from './object-tags.js';
import { resolveClosed } from './resolve-closed.js';
import { resultWarnings } from './result-warnings.js';
import { createShellStep } from './shell-step.js';

/** Less than this share of area times size is no volume, but what rounding leaves of a flat sheet: walls thinner than the last place of float32. */
const LEAST_VOLUME_SHARE = 2 ** -24;

export interface RepairOptions {
  onProgress?: OnProgress | undefined;
  /** The analysis of the mesh, where it is known. */
  known?: AnalysisWithPlaces | undefined;
  /** What becomes of closed shells inside others. Default: `auto`. */
  innerShells?: InnerShellRule | undefined;
  /** Leaves out what changes topology: no scraps are dropped, no bodies united. Default: false. */
  keepsTopology?: boolean | undefined;
}

export interface RepairResult {
  mesh: IndexedMesh;
  /** The analysis of `mesh`. */
  known: AnalysisWithPlaces;
  report: Report;
  /** Whether the mesh is at least watertight now, and has a volume. */
  isSuccessful: boolean;
  /** Why not. */
  reason?: string;
}

/**
 * Repairs a mesh: a pipeline of named steps, each with its line in the report. The same mesh gives the same result, bit by bit. A mesh that
 * is a solid already comes back as it is, unless its inner shells are to merge. What cannot be repaired is no exception: `isSuccessful` is
 * false, and `mesh` is as far as it got; of a sheet that encloses nothing, the mesh as it came.
 */
export function repair(mesh: IndexedMesh, options: RepairOptions = {}): RepairResult {
  const known = options.known ?? analyzeWithPlaces(mesh);
  const before = known.analysis;
  options.onProgress?.(0.3);
  if (!verdictOf(before).needsRepair) {
    const kept = keepSolid(mesh, known, options);
    if (kept) return kept;
  }
  const { dimensionXMm, dimensionYMm, dimensionZMm } = before;
  const diagonalMm = Math.hypot(dimensionXMm, dimensionYMm, dimensionZMm);
  const { mesh: current, done } = closeSurface(toRepairMesh(mesh), diagonalMm, {
    ...options,
    onProgress: (share) => options.onProgress?.(0.3 + 0.2 * share),
  });
  let repaired = fromRepairMesh(current, mesh.objects);
  const closed = analyzeWithPlaces(repaired);
  let after = closed;
  options.onProgress?.(0.7);
  if (!options.keepsTopology) {
    const resolved = resolveClosed(current, closed.analysis, diagonalMm, done);
    if (resolved !== current) {
      repaired = fromRepairMesh(resolved, mesh.objects);
      after = analyzeWithPlaces(repaired);
    }
  }
  if (after === closed) done.innerShells = done.innerShells.map((shell) => unmerged(shell));
  options.onProgress?.(1);
  return resultOf(mesh, known, repaired, after, done, closed.analysis);
}

/** The result for a solid, which stays as it is; nothing where it has inner shells and they are to merge. */
function keepSolid(mesh: IndexedMesh, known: AnalysisWithPlaces, { innerShells = 'auto', onProgress }: RepairOptions) {
  const { innerShells: inner = [] } =
    known.analysis.shells > 1 ? createShellStep('auto').run(toRepairMesh(mesh), 0) : {};
  if (innerShells === 'merge' && inner.length > 0) return undefined;
  onProgress?.(1);
  return { mesh, known, report: { ...createUnchangedReport(known), innerShells: inner }, isSuccessful: true };
}

/** Where nothing was united, nothing merged. */
const unmerged = (shell: InnerShell): InnerShell =>
  shell.outcome === 'merged' ? { ...shell, outcome: 'kept' } : shell;

function resultOf(
  mesh: IndexedMesh,
  known: AnalysisWithPlaces,
  repaired: IndexedMesh,
  after: AnalysisWithPlaces,
  done: Done,
  closed: Analysis,
): RepairResult {
  const before = known.analysis;
  const reason = whyNoBody(after.analysis);
  if (reason) return { mesh, known, report: createUnchangedReport(known), isSuccessful: false, reason };
  const verdict = verdictOf(after.analysis);
  const report: Report = {
    before,
    after: after.analysis,
    ...done,
    places: known.places,
    volumeChangeMm3: after.analysis.volumeMm3 - before.volumeMm3,
    areaChangeMm2: after.analysis.surfaceAreaMm2 - before.surfaceAreaMm2,
    warnings: [...done.warnings, ...resultWarnings(before, closed, after.analysis)],
    verdict,
  };
  const result = { mesh: repaired, known: after, report, isSuccessful: verdict.level !== 'open' };
  return result.isSuccessful
    ? result
    : { ...result, reason: `the surface could not be closed: ${verdict.reasons.join(', ')}` };
}

function whyNoBody(after: Analysis): string | undefined {
  if (after.triangles === 0) return 'nothing is left: the file holds no triangle that belongs to a surface';
  const size = Math.max(after.dimensionXMm, after.dimensionYMm, after.dimensionZMm);
  const hasVolume = after.volumeMm3 > after.surfaceAreaMm2 * size * LEAST_VOLUME_SHARE;
  return hasVolume ? undefined : 'the surface encloses no volume: it is a sheet, not a body';
}
