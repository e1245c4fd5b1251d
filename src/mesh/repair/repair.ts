import { analyzeWithPlaces } from '../analysis/analyze.js';
import type { Analysis, AnalysisWithPlaces, InnerShell, InnerShellRule, Report } from '../analysis/report.js';
import { createUnchangedReport } from '../analysis/unchanged-report.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { closeSurface, type StepSummary } from './close-surface.js';
import { createOrientShellsStep } from './orient-shells.js';
import { fromRepairMesh, toRepairMesh } from './repair-mesh.js';
import { resolveOverlaps } from './resolve-overlaps.js';
import { resultWarnings } from './result-warnings.js';

/** Less than this share of area times size is no volume, but what rounding leaves of a flat sheet: walls thinner than the last place of float32. */
const MIN_VOLUME_FRACTION = 2 ** -24;

export interface RepairOptions {
  onProgress?: OnProgress | undefined;
  /** The analysis of the mesh, where it is known. */
  precomputed?: AnalysisWithPlaces | undefined;
  /** What becomes of closed shells inside others. Default: `auto`. */
  innerShells?: InnerShellRule | undefined;
  /** Leaves out what changes topology: no scraps are dropped, no bodies united. Default: false. */
  preserveTopology?: boolean | undefined;
}

export interface RepairResult {
  mesh: IndexedMesh;
  /** The analysis of `mesh`. */
  analyzed: AnalysisWithPlaces;
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
  const analyzed = options.precomputed ?? analyzeWithPlaces(mesh);
  const before = analyzed.analysis;
  options.onProgress?.(0.3);
  if (!verdictOf(before).needsRepair) {
    const kept = passThroughSolid(mesh, analyzed, options);
    if (kept) return kept;
  }
  const { dimensionXMm, dimensionYMm, dimensionZMm } = before;
  const diagonalMm = Math.hypot(dimensionXMm, dimensionYMm, dimensionZMm);
  const { mesh: current, summary } = closeSurface(toRepairMesh(mesh), diagonalMm, {
    ...options,
    onProgress: (progress) => options.onProgress?.(0.3 + 0.2 * progress),
  });
  let repaired = fromRepairMesh(current, mesh.objects);
  const analysisWhenClosed = analyzeWithPlaces(repaired);
  let after = analysisWhenClosed;
  options.onProgress?.(0.7);
  if (!options.preserveTopology) {
    const resolved = resolveOverlaps(current, analysisWhenClosed.analysis, diagonalMm, summary);
    if (resolved !== current) {
      repaired = fromRepairMesh(resolved, mesh.objects);
      after = analyzeWithPlaces(repaired);
    }
  }
  if (after === analysisWhenClosed) summary.innerShells = summary.innerShells.map((shell) => markUnmerged(shell));
  options.onProgress?.(1);
  return createResult(mesh, analyzed, repaired, after, summary, analysisWhenClosed.analysis);
}

/** The result for a solid, which stays as it is; nothing where it has inner shells and they are to merge. */
function passThroughSolid(
  mesh: IndexedMesh,
  analyzed: AnalysisWithPlaces,
  { innerShells = 'auto', onProgress }: RepairOptions,
) {
  const { innerShells: inner = [] } =
    analyzed.analysis.shells > 1 ? createOrientShellsStep('auto').run(toRepairMesh(mesh), 0) : {};
  if (innerShells === 'merge' && inner.length > 0) return undefined;
  onProgress?.(1);
  return { mesh, analyzed, report: { ...createUnchangedReport(analyzed), innerShells: inner }, isSuccessful: true };
}

/** Where nothing was united, nothing merged. */
const markUnmerged = (shell: InnerShell): InnerShell =>
  shell.outcome === 'merged' ? { ...shell, outcome: 'kept' } : shell;

function createResult(
  mesh: IndexedMesh,
  analyzed: AnalysisWithPlaces,
  repaired: IndexedMesh,
  after: AnalysisWithPlaces,
  summary: StepSummary,
  analysisWhenClosed: Analysis,
): RepairResult {
  const before = analyzed.analysis;
  const reason = describeMissingVolume(after.analysis);
  if (reason) return { mesh, analyzed, report: createUnchangedReport(analyzed), isSuccessful: false, reason };
  const verdict = verdictOf(after.analysis);
  const report: Report = {
    before,
    after: after.analysis,
    ...summary,
    places: analyzed.places,
    volumeChangeMm3: after.analysis.volumeMm3 - before.volumeMm3,
    areaChangeMm2: after.analysis.surfaceAreaMm2 - before.surfaceAreaMm2,
    warnings: [...summary.warnings, ...resultWarnings(before, analysisWhenClosed, after.analysis)],
    verdict,
  };
  const result = { mesh: repaired, analyzed: after, report, isSuccessful: verdict.level !== 'open' };
  return result.isSuccessful
    ? result
    : { ...result, reason: `the surface could not be closed: ${verdict.reasons.join(', ')}` };
}

function describeMissingVolume(after: Analysis): string | undefined {
  if (after.triangles === 0) return 'nothing is left: the file holds no triangle that belongs to a surface';
  const size = Math.max(after.dimensionXMm, after.dimensionYMm, after.dimensionZMm);
  const hasVolume = after.volumeMm3 > after.surfaceAreaMm2 * size * MIN_VOLUME_FRACTION;
  return hasVolume ? undefined : 'the surface encloses no volume: it is a sheet, not a body';
}
