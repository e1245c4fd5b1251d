import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { analyzeModel, selectWholeAnalysis } from '../../mesh/analysis/analyze-parts.js';
import { createChangeReport } from '../../mesh/analysis/change-report.js';
import { addNotes } from '../../mesh/analysis/model-notes.js';
import type { ReportWarning } from '../../mesh/analysis/report.js';
import { createWorkLimitWarning } from '../../mesh/analysis/work-limit-warning.js';
import { parseInternal, serializeInternal } from '../../mesh/formats/internal-format.js';
import { computeBounds, diagonalOf } from '../../mesh/geometry/bounds.js';
import { reduceTriangles } from '../../mesh/reduce/reduce-triangles.js';
import type { REDUCE_TRIANGLES } from '../operations/kinds/reduce-triangles.js';
import type { ParametersOf } from '../operations/operation-kind.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** With a number of triangles to reach, the surface moves by at most this fraction of the diagonal. */
const TARGET_ACCURACY_FRACTION = 0.05;

/** Simplifies the mesh of a model. */
export const reduceModel: JobHandler<typeof REDUCE_TRIANGLES> = (job, onProgress) => {
  const { targetTriangles, maxAngle, numberOfIterations } = job.parameters;
  const stored = parseInternal(readFileFully(job.inputPath));
  const whole = selectWholeAnalysis(stored.analyzed) ?? analyzeWithPlaces(stored);
  const accuracyMm =
    job.parameters.accuracyMm ?? diagonalOf(computeBounds(stored.positions)) * TARGET_ACCURACY_FRACTION;
  const options = { accuracyMm, targetTriangles, maxAngle, numberOfIterations, onProgress };
  const { mesh, analyzed: reduced, maxDistanceMm, isLimited } = reduceTriangles(stored, whole, options);
  const before = stored.analyzed ?? whole;
  const analyzed = before.analysis.parts ? analyzeModel(mesh) : reduced;
  writeFileFully(requireOutputPath(job), serializeInternal(mesh, analyzed, stored.notes));
  const changed = (stored.triangles.length - mesh.triangles.length) / 3;
  const warnings = [
    ...createWarnings(mesh.triangles.length / 3, job.parameters),
    ...(isLimited ? [createWorkLimitWarning('reduce-triangles')] : []),
  ];
  const change = { name: 'reduce-triangles', changed, maxDisplacementMm: maxDistanceMm, warnings };
  return succeeded({ report: addNotes(createChangeReport(before, analyzed, change), stored.notes) });
};

function createWarnings(triangles: number, parameters: ParametersOf<typeof REDUCE_TRIANGLES>): ReportWarning[] {
  const { targetTriangles, maxAngle } = parameters;
  // A closed surface has an even number of triangles.
  if (targetTriangles === 0 || triangles <= targetTriangles + 1) return [];
  const remedy = maxAngle < 180 ? ' Use a larger maxAngle.' : '';
  const message = `${triangles} triangles are left, not ${targetTriangles}: others could not be removed without turning triangles by more than ${maxAngle} degrees, or damaging the surface.${remedy}`;
  return [{ code: 'TARGET_NOT_REACHED', message }];
}
