import { analyzeWithPlaces } from '../analysis/analyze.js';
import type { RepairResult } from '../analysis/repair-result.js';
import type { Analysis, AnalysisWithPlaces, InnerShell, InnerShellRule, Report } from '../analysis/report.js';
import { createUnchangedReport } from '../analysis/unchanged-report.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { fromTaggedMesh, toTaggedMesh } from '../topology/tagged-mesh.js';
import { closeSurface, type StepSummary } from './close-surface.js';
import { createOrientShellsStep } from './orient-shells.js';
import { resolveOverlaps } from './resolve-overlaps.js';
import { createResultWarnings } from './result-warnings.js';

/**
 * A volume below this fraction of area times size counts as zero: it is the rounding error of a planar sheet, whose
 * walls are thinner than the precision of float32.
 */
const MIN_VOLUME_FRACTION = 2 ** -24;

export interface RepairOptions {
  onProgress?: OnProgress | undefined;
  /** The analysis of the mesh, if it was computed before. */
  precomputed?: AnalysisWithPlaces | undefined;
  /** How to treat closed shells inside others. Default: `auto`. */
  innerShells?: InnerShellRule | undefined;
  /** Keep open fragments and do not unite bodies. Default: false. */
  preserveTopology?: boolean | undefined;
}

/**
 * Repairs a mesh by a pipeline of named steps, each with a line in the report. Deterministic: the same mesh gives the
 * same result, bit by bit. Returns a solid unchanged, unless its inner shells are to merge. Does not throw if a mesh
 * cannot be repaired: `isSuccessful` is false, and `mesh` is the result of the steps, or the unchanged mesh if it
 * encloses no volume.
 */
export function repair(mesh: IndexedMesh, options: RepairOptions = {}): RepairResult {
  // 1. Analyze the mesh. A solid is returned unchanged.
  const analyzed = options.precomputed ?? analyzeWithPlaces(mesh);
  const before = analyzed.analysis;
  options.onProgress?.(0.3);
  if (!verdictOf(before).needsRepair) {
    const unchanged = passThroughSolid(mesh, analyzed, options);
    if (unchanged) return unchanged;
  }
  // 2. Close the surface.
  const { dimensionXMm, dimensionYMm, dimensionZMm } = before;
  const diagonalMm = Math.hypot(dimensionXMm, dimensionYMm, dimensionZMm);
  const { mesh: current, summary } = closeSurface(toTaggedMesh(mesh), diagonalMm, {
    ...options,
    onProgress: (progress) => options.onProgress?.(0.3 + 0.2 * progress),
  });
  let repaired = fromTaggedMesh(current, mesh.objects);
  const analysisWhenClosed = analyzeWithPlaces(repaired);
  let after = analysisWhenClosed;
  options.onProgress?.(0.7);
  // 3. Resolve overlaps and intersections.
  if (!options.preserveTopology) {
    const resolved = resolveOverlaps(current, analysisWhenClosed.analysis, diagonalMm, summary);
    if (resolved !== current) {
      repaired = fromTaggedMesh(resolved, mesh.objects);
      after = analyzeWithPlaces(repaired);
    }
  }
  if (after === analysisWhenClosed) summary.innerShells = summary.innerShells.map((shell) => markUnmerged(shell));
  options.onProgress?.(1);
  return createResult(mesh, analyzed, repaired, after, summary, analysisWhenClosed.analysis);
}

/** Returns the result for an unchanged solid, or `undefined` if it has inner shells that are to merge. */
function passThroughSolid(
  mesh: IndexedMesh,
  analyzed: AnalysisWithPlaces,
  { innerShells = 'auto', onProgress }: RepairOptions,
) {
  const { innerShells: innerShellList = [] } =
    analyzed.analysis.shells > 1 ? createOrientShellsStep('auto').run(toTaggedMesh(mesh), 0) : {};
  if (innerShells === 'merge' && innerShellList.length > 0) return undefined;
  onProgress?.(1);
  return {
    mesh,
    analyzed,
    report: { ...createUnchangedReport(analyzed), innerShells: innerShellList },
    isSuccessful: true,
  };
}

/** If no bodies were united, no shell was merged. */
function markUnmerged(shell: InnerShell): InnerShell {
  return shell.outcome === 'merged' ? { ...shell, outcome: 'kept' } : shell;
}

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
    warnings: [...summary.warnings, ...createResultWarnings(before, analysisWhenClosed, after.analysis)],
    verdict,
  };
  const result = { mesh: repaired, analyzed: after, report, isSuccessful: verdict.level !== 'open' };
  return result.isSuccessful
    ? result
    : { ...result, reason: `the surface could not be closed: ${verdict.reasons.join(', ')}` };
}

/** Returns why a mesh encloses no volume, or `undefined` if it does. */
function describeMissingVolume(after: Analysis): string | undefined {
  if (after.triangles === 0) return 'the file contains no valid triangles';
  const size = Math.max(after.dimensionXMm, after.dimensionYMm, after.dimensionZMm);
  const hasVolume = after.volumeMm3 > after.surfaceAreaMm2 * size * MIN_VOLUME_FRACTION;
  return hasVolume ? undefined : 'the surface encloses no volume (it is an open sheet)';
}
