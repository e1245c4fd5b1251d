import { analyzeIndexed, analyzeWithRunner } from '../analysis/analyze.js';
import { addReasons } from '../analysis/model-notes.js';
import type { RepairResult } from '../analysis/repair-result.js';
import type {
  Analysis,
  AnalysisWithPlaces,
  InnerShell,
  InnerShellRule,
  Report,
  ReportWarning,
} from '../analysis/report.js';
import { createUnchangedReport } from '../analysis/unchanged-report.js';
import { hasMatchingEdges, verdictOf } from '../analysis/verdict.js';
import { compareVolumes, createVolumeWarnings } from '../analysis/volume-warnings.js';
import { hasTouchingShells } from '../arrangement/contacts/find-contact-regions.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import type { TaskRunner } from '../core/task-runner.js';
import { isPlanar } from '../geometry/is-planar.js';
import { createMeshIndex, type MeshState } from '../spatial/mesh-index.js';
import { hasBalancedEdges } from '../topology/has-balanced-edges.js';
import { toTaggedMesh } from '../topology/tagged-mesh.js';
import { createGapWarnings } from './gaps.js';
import { createGainWarnings, createLossWarnings, listLossReasons } from './ledger.js';
import { createFillingWarnings, type Filling, sumBackAreaMm2 } from './measure-fillings.js';
import { findInnerShells } from './orient-shells.js';
import { closeSurface, uniteOverlaps } from './pipeline.js';
import { type RepairState, type StepSummary, startRepair } from './run-steps.js';
import { createContext } from './step.js';
import { toResult } from './to-result.js';

/**
 * A volume below this fraction of area times size counts as zero: it is the rounding error of a planar sheet, whose
 * walls are thinner than the precision of float32.
 */
const MIN_VOLUME_FRACTION = 2 ** -24;

/** The filling of a sheet is as large as the sheet, half of the closed surface, except for rounding errors. */
const MIN_SHEET_FILLING_FRACTION = 0.45;

export interface RepairOptions {
  onProgress?: OnProgress | undefined;
  /** The analysis of the mesh, if it was computed before. */
  precomputed?: AnalysisWithPlaces | undefined;
  /** How to treat closed shells inside others. Default: `auto`. */
  innerShells?: InnerShellRule | undefined;
  /** Keep open fragments and do not unite bodies. Default: false. */
  preserveTopology?: boolean | undefined;
  /** Runs parts of the analysis in other threads. Default: all runs in this one. */
  runner?: TaskRunner | undefined;
}

/**
 * Repairs a mesh by a pipeline of named steps, each with a line in the report. Deterministic: the same mesh gives the
 * same result, bit by bit. Returns a solid unchanged, unless its inner shells are to merge, or two shells touch at faces
 * except for rounding. Does not throw if a mesh cannot be repaired: `isSuccessful` is false, and `mesh` is the result of
 * the steps, or the unchanged mesh if it encloses no volume.
 */
export function repair(mesh: IndexedMesh, options: RepairOptions = {}): RepairResult {
  const { innerShells = 'auto', preserveTopology = false, onProgress = () => {}, runner } = options;
  // 1. Analyze the mesh. A solid is returned unchanged, unless its bodies touch.
  const source: MeshState = { mesh: toTaggedMesh(mesh), index: createMeshIndex(mesh) };
  if (options.precomputed) source.index.provide(analyzeIndexed, options.precomputed);
  const analyzed = analyzeWithRunner(source.index, runner);
  onProgress(0.3);
  const { dimensionXMm, dimensionYMm, dimensionZMm } = analyzed.analysis;
  const context = createContext(Math.hypot(dimensionXMm, dimensionYMm, dimensionZMm), innerShells);
  const canTouch = !preserveTopology && analyzed.analysis.shells > 1;
  const isSolid = verdictOf(analyzed.analysis).level === 'solid';
  const containedShells = isSolid && analyzed.analysis.shells > 1 ? findInnerShells(source, context) : [];
  const isKept = isSolid && (innerShells !== 'merge' || containedShells.length === 0);
  const returnUnchanged = (): RepairResult => {
    onProgress(1);
    const report = { ...createUnchangedReport(analyzed), innerShells: containedShells };
    return { mesh, analyzed, report, isSuccessful: true, isUnchanged: true };
  };
  if (isKept && !(canTouch && hasTouchingShells(source.index, context.tolerances.touchMm))) return returnUnchanged();
  // 2. Close the surface.
  const onClosingProgress: OnProgress = (progress) => onProgress(0.3 + 0.2 * progress);
  const closed = closeSurface(startRepair(source), { ...context, onProgress: onClosingProgress }, preserveTopology);
  const closedResult = toResult(closed, mesh.objects, runner);
  const closedAnalysis = analyzeWithRunner(closedResult.index, runner);
  onProgress(0.7);
  // 3. Resolve overlaps and intersections.
  const united = preserveTopology
    ? { ...closed, isChanged: false }
    : uniteOverlaps(closed, closedAnalysis.analysis, context);
  const { isChanged: isUnited, summary } = united;
  const result = isUnited ? toResult(united, mesh.objects, runner) : closedResult;
  const after = analyzeWithRunner(result.index, runner);
  if (isKept && (!isUnited || verdictOf(after.analysis).level !== 'solid')) return returnUnchanged();
  onProgress(1);
  const minFillingMm2 = MIN_SHEET_FILLING_FRACTION * after.analysis.surfaceAreaMm2;
  const isSheet =
    sumBackAreaMm2(closed.fillings) > minFillingMm2 ||
    (summary.filledAreaMm2 > minFillingMm2 && isPlanar(mesh, context.tolerances.nearMm));
  const outcome = { ...summary, innerShells: isUnited ? summary.innerShells : summary.innerShells.map(markUnmerged) };
  const repaired = { mesh: result.mesh, analyzed: after };
  const explanation = { ...outcome, maxDisplacementMm: summary.maxDisplacementMm + context.tolerances.inPlaneMm };
  const volumeWarnings = [
    ...createRepairVolumeWarnings(source, analyzed.analysis, closedAnalysis.analysis, after.analysis),
    ...createLossWarnings(source, result.index, explanation),
    ...createGainWarnings(source, result.index, explanation, innerShells),
    ...createGapWarnings(summary, after.analysis),
    ...createFillingWarnings(listUnnamedFillings(closed), after.analysis, result.index, explanation.maxDisplacementMm),
  ];
  return createResult({ mesh, analyzed }, repaired, outcome, volumeWarnings, isSheet);
}

/** Returns the fillings that the warning `ZERO_THICKNESS` does not name. */
function listUnnamedFillings({ fillings, summary }: RepairState): readonly Filling[] {
  const hasSheets = summary.warnings.some(({ code }) => code === 'ZERO_THICKNESS');
  return hasSheets ? fillings.filter(({ isBackOfSheet }) => !isBackOfSheet) : fillings;
}

/** If no bodies were united, no shell was merged. */
function markUnmerged(shell: InnerShell): InnerShell {
  return shell.outcome === 'merged' ? { ...shell, outcome: 'kept' } : shell;
}

interface AnalyzedMesh {
  mesh: IndexedMesh;
  analyzed: AnalysisWithPlaces;
}

function createResult(
  source: AnalyzedMesh,
  repaired: AnalyzedMesh,
  summary: StepSummary,
  volumeWarnings: readonly ReportWarning[],
  isSheet: boolean,
): RepairResult {
  const before = source.analyzed.analysis;
  const after = repaired.analyzed.analysis;
  const reason = describeMissingVolume(after, isSheet);
  if (reason) {
    const report = createUnchangedReport(source.analyzed);
    return { ...source, report, isSuccessful: false, reason, isSheet: true };
  }
  const warnings = [...summary.warnings, ...volumeWarnings, ...createLevelWarnings(after)];
  const verdict = addReasons(verdictOf(after), listLossReasons(warnings));
  const report: Report = {
    before,
    after,
    ...summary,
    places: source.analyzed.places,
    volumeChangeMm3: after.volumeMm3 - before.volumeMm3,
    areaChangeMm2: after.surfaceAreaMm2 - before.surfaceAreaMm2,
    warnings,
    verdict,
  };
  const result = { ...repaired, report, isSuccessful: hasMatchingEdges(after) };
  return result.isSuccessful
    ? result
    : { ...result, reason: `${describeFailure(after)}: ${verdict.reasons.join(', ')}` };
}

function describeFailure({ boundaryEdges }: Analysis): string {
  return boundaryEdges > 0 ? 'the surface could not be closed' : 'triangles do not match at their edges';
}

/**
 * Returns the warning `VOLUME_CHANGED` if the volume changed by more than 5 %. The reference is the volume of the file if
 * each edge has as many triangles in one direction as in the other and they enclose a volume: the volume of an open,
 * inconsistently wound or two-sided mesh is meaningless. It is that of the closed mesh then, before overlaps are united.
 */
function createRepairVolumeWarnings(
  { mesh, index }: MeshState,
  before: Analysis,
  closed: Analysis,
  after: Analysis,
): ReportWarning[] {
  const hasBalanced =
    before.badEdges === 0 || (before.boundaryEdges === 0 && hasBalancedEdges(mesh.triangles, index.edges()));
  const hasMeaning = hasBalanced && enclosesVolume({ ...before, volumeMm3: Math.abs(before.volumeMm3) });
  return hasMeaning ? compareVolumes(before.volumeMm3, after.volumeMm3) : createVolumeWarnings(closed, after);
}

/** Returns the warning `SHRINKWRAP_SUGGESTED` if the result is not a solid. */
function createLevelWarnings(after: Analysis): ReportWarning[] {
  const { level } = verdictOf(after);
  if (level === 'solid') return [];
  const message = `The repaired model is ${level}, not solid. Use shrinkwrap-repair to replace its surface by a solid.`;
  return [{ code: 'SHRINKWRAP_SUGGESTED', message }];
}

/**
 * Returns why a mesh encloses no volume, or `undefined` if it does.
 *
 * @param isSheet whether the mesh is an open surface that is nearly flat: its filling nearly duplicates it
 */
function describeMissingVolume(after: Analysis, isSheet: boolean): string | undefined {
  if (after.triangles === 0) return 'the file contains no valid triangles';
  return enclosesVolume(after) && !isSheet ? undefined : 'the surface encloses no volume (it is an open sheet)';
}

function enclosesVolume({ volumeMm3, surfaceAreaMm2, dimensionXMm, dimensionYMm, dimensionZMm }: Analysis): boolean {
  return volumeMm3 > surfaceAreaMm2 * Math.max(dimensionXMm, dimensionYMm, dimensionZMm) * MIN_VOLUME_FRACTION;
}
