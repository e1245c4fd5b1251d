import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { createChangeReport } from '../../mesh/analysis/change-report.js';
import { addNotes } from '../../mesh/analysis/model-notes.js';
import type { ReportWarning } from '../../mesh/analysis/report.js';
import { createWorkLimitWarning } from '../../mesh/analysis/work-limit-warning.js';
import type { IndexedMesh } from '../../mesh/core/mesh.js';
import { parseInternal, serializeInternal } from '../../mesh/formats/internal-format.js';
import { computeBounds, diagonalOf } from '../../mesh/geometry/bounds.js';
import { reduceParts } from '../../mesh/reduce/reduce-parts.js';
import { reduceTriangles } from '../../mesh/reduce/reduce-triangles.js';
import { addLossReasons, createLossWarnings } from '../../mesh/repair/ledger.js';
import { createMeshIndex, createMeshState } from '../../mesh/spatial/mesh-index.js';
import { toTaggedMesh } from '../../mesh/topology/tagged-mesh.js';
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
  const before = stored.analyzed ?? analyzeWithPlaces(stored);
  const accuracyMm =
    job.parameters.accuracyMm ?? diagonalOf(computeBounds(stored.positions)) * TARGET_ACCURACY_FRACTION;
  const options = { accuracyMm, targetTriangles, maxAngle, numberOfIterations, onProgress };
  const { mesh, analyzed, maxDistanceMm, isLimited } = before.analysis.parts
    ? reduceParts(stored, options)
    : reduceTriangles(stored, before, options);
  const changed = (stored.triangles.length - mesh.triangles.length) / 3;
  const warnings = [
    ...createWarnings(mesh.triangles.length / 3, job.parameters),
    ...(isLimited ? [createWorkLimitWarning('reduce-triangles')] : []),
    ...findLosses(stored, mesh, Math.max(accuracyMm, maxDistanceMm)),
  ];
  const notes = addLossReasons(stored.notes, warnings);
  writeFileFully(requireOutputPath(job), serializeInternal(mesh, analyzed, notes, stored.helpers));
  const reason = 'the surface was simplified within the accuracy';
  const change = { name: 'reduce-triangles', changed, maxDisplacementMm: maxDistanceMm, warnings, reason };
  return succeeded({ report: addNotes(createChangeReport(before, analyzed, change), notes) });
};

/** Warns of bodies of which a part is missing, farther from the new surface than it may have moved. */
function findLosses(source: IndexedMesh, result: IndexedMesh, maxDisplacementMm: number): ReportWarning[] {
  if (source.triangles.length === result.triangles.length) return [];
  const state = createMeshState(toTaggedMesh(source));
  return createLossWarnings(state, createMeshIndex(result), { maxDisplacementMm, innerShells: [] });
}

function createWarnings(triangles: number, parameters: ParametersOf<typeof REDUCE_TRIANGLES>): ReportWarning[] {
  const { targetTriangles, maxAngle } = parameters;
  // A closed surface has an even number of triangles.
  if (targetTriangles === 0 || triangles <= targetTriangles + 1) return [];
  const remedy = maxAngle < 180 ? ' Use a larger maxAngle.' : '';
  const message = `${triangles} triangles are left, not ${targetTriangles}: others could not be removed without turning triangles by more than ${maxAngle} degrees, or damaging the surface.${remedy}`;
  return [{ code: 'TARGET_NOT_REACHED', message }];
}
