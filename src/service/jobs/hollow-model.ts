import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { selectWholeAnalysis } from '../../mesh/analysis/analyze-parts.js';
import { createChangeReport } from '../../mesh/analysis/change-report.js';
import { addNotes } from '../../mesh/analysis/model-notes.js';
import type { AnalysisWithPlaces, ReportWarning } from '../../mesh/analysis/report.js';
import { MeshError } from '../../mesh/core/mesh-error.js';
import { pluralize } from '../../mesh/core/pluralize.js';
import { parseInternal, type StoredMesh, serializeInternal } from '../../mesh/formats/internal-format.js';
import { type HollowOptions, hollow } from '../../mesh/hollow/hollow.js';
import { type HollowPartsResult, hollowParts } from '../../mesh/hollow/hollow-parts.js';
import { reduceSolid } from '../../mesh/reduce/reduce-triangles.js';
import { listNames } from '../../mesh/repair/combine-warnings.js';
import { splitParts } from '../../mesh/spatial/split-parts.js';
import type { HOLLOWING } from '../operations/kinds/hollowing.js';
import type { ParametersOf } from '../operations/operation-kind.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** The warning about missing drain holes names at most this many cavities. */
const MAX_NAMED_CAVITIES = 5;

/** Creates a cavity in a model, or a shell around it. */
export const hollowModel: JobHandler<typeof HOLLOWING> = (job, onProgress) => {
  const { wallThicknessMm, direction, drainHoleCount, drainHoleDiameterMm, upAxis } = job.parameters;
  const stored = parseInternal(readFileFully(job.inputPath));
  const before = stored.analyzed ?? analyzeWithPlaces(stored);
  const drainHoles =
    drainHoleCount > 0 ? { countPerCavity: drainHoleCount, diameterMm: drainHoleDiameterMm, upAxis } : undefined;
  const options = { wallMm: wallThicknessMm, direction, drainHoles, reduce: reduceSolid, onProgress };
  const result = run(stored, before, options);
  const { mesh, analyzed, cavityCount } = result;
  writeFileFully(requireOutputPath(job), serializeInternal(mesh, analyzed, stored.notes, stored.helpers));
  const warnings = createWarnings(result, job.parameters);
  const report = createChangeReport(before, analyzed, {
    ...{ name: 'hollowing', changed: cavityCount, warnings },
    reason: direction === 'inward' ? 'cavities were made' : 'walls were made around the model',
  });
  const holeCount = countHoles(result);
  const steps = drainHoles ? [...report.steps, { name: 'drain-holes', changed: holeCount }] : report.steps;
  return succeeded({ report: addNotes({ ...report, steps }, stored.notes) });
};

/** Hollows each part by itself. Walls around touching parts would overlap, so those of a model that has some are refused. */
function run(stored: StoredMesh, before: AnalysisWithPlaces, options: HollowOptions): HollowPartsResult {
  const { parts } = before.analysis;
  if (parts && options.direction === 'outward') {
    const message = `Could not hollow the model outward: it has ${parts.count} parts that touch or overlap, so that the walls around them would. Unite them by a repair with parts unite, or hollow inward.`;
    throw new MeshError('NOT_SOLID', message);
  }
  const isSeparate = parts !== undefined || stored.notes.hasParts === true;
  const separate = isSeparate && options.direction === 'inward' ? splitParts(stored) : [];
  if (separate.length > 1) return hollowParts(separate, options);
  const whole = selectWholeAnalysis(before) ?? analyzeWithPlaces(stored);
  return { ...hollow(stored, whole, options), filledParts: [] };
}

function countHoles({ drainHoles }: HollowPartsResult): number {
  return drainHoles.reduce((sum, { holes }) => sum + holes.length, 0);
}

/**
 * Creates the warnings: closed cavities or the places of the drain holes, with the wall thickness; missing holes; loose
 * bodies.
 */
function createWarnings(result: HollowPartsResult, parameters: ParametersOf<typeof HOLLOWING>): ReportWarning[] {
  const { drainHoles, cavityCount, looseBodyCount, flatWallMm, filledParts } = result;
  const { wallThicknessMm, drainHoleCount, drainHoleDiameterMm } = parameters;
  const walls = `Walls are ${flatWallMm.toFixed(2)} mm thick on flat areas, so that they are nowhere thinner than ${wallThicknessMm} mm.`;
  const closedCount = cavityCount - drainHoles.filter(({ holes }) => holes.length > 0).length;
  const warnings: ReportWarning[] = [];
  if (closedCount > 0) {
    const cavities =
      closedCount === cavityCount
        ? 'The cavity has'
        : `${closedCount} of ${pluralize(cavityCount, 'cavity', 'cavities')} have`;
    const message = `${walls} ${cavities} no drain hole: uncured resin or powder stays inside.`;
    warnings.push({ code: 'CAVITY_CLOSED', message });
  }
  const mouths = drainHoles.flatMap(({ holes }) => holes.map(({ mouth }) => formatPoint(mouth)));
  if (mouths.length > 0) {
    const holes = `${pluralize(mouths.length, 'drain hole')} with a diameter of ${drainHoleDiameterMm} mm: at ${mouths.join(', ')}.`;
    const message = closedCount > 0 ? holes : `${walls} ${holes}`;
    warnings.push({ code: 'DRAIN_HOLES_ADDED', message });
  }
  const incomplete = drainHoles.filter(({ holes }) => holes.length < drainHoleCount);
  if (incomplete.length > 0) {
    const named = incomplete
      .slice(0, MAX_NAMED_CAVITIES)
      .map(({ holes, lowest }) => `${holes.length} of ${drainHoleCount} in the cavity above ${formatPoint(lowest)}`);
    const others = incomplete.length - named.length;
    const rest = others > 0 ? `, and too few in ${pluralize(others, 'other cavity', 'other cavities')}` : '';
    const message = `Could not make all drain holes: ${named.join(', ')}${rest}. Use a smaller diameter or fewer holes.`;
    warnings.push({ code: 'DRAIN_HOLES_MISSING', message });
  }
  if (looseBodyCount > 0) {
    const bodies = looseBodyCount === 1 ? '1 body is' : `${looseBodyCount} bodies are`;
    const cause = 'the walls around voids of the model touch no other wall';
    const message = `${bodies} loose inside: ${cause}. Fill the voids by a repair with innerShells merge, or use thicker walls.`;
    warnings.push({ code: 'LOOSE_BODIES', message });
  }
  if (filledParts.length > 0) {
    const parts = filledParts.length === 1 ? '1 part has' : `${filledParts.length} parts have`;
    const verb = filledParts.length === 1 ? 'stays' : 'stay';
    const message = `${parts} no room for a cavity and ${verb} filled: ${listNames(filledParts)}.`;
    warnings.push({ code: 'PARTS_FILLED', message });
  }
  return warnings;
}

/** Formats a point with four significant digits. */
function formatPoint(point: readonly number[]): string {
  return `(${point.map((part) => Number(part.toPrecision(4))).join(', ')})`;
}
