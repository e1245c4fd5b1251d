import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { createChangeReport } from '../../mesh/analysis/change-report.js';
import { parseInternal, serializeInternal } from '../../mesh/formats/internal-format.js';
import { reduceTriangles } from '../../mesh/reduce/reduce-triangles.js';
import type { REDUCE_TRIANGLES } from '../operations/kinds/reduce-triangles.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Simplifies the mesh of a model. */
export const reduceModel: JobHandler<typeof REDUCE_TRIANGLES> = (job, onProgress) => {
  const { accuracyMm, maxAngle, numberOfIterations } = job.parameters;
  const stored = parseInternal(readFileFully(job.inputPath));
  const before = stored.analyzed ?? analyzeWithPlaces(stored);
  const options = { accuracyMm, maxAngle, numberOfIterations, onProgress };
  const { mesh, analyzed, maxDistanceMm } = reduceTriangles(stored, before, options);
  writeFileFully(requireOutputPath(job), serializeInternal(mesh, analyzed));
  const changed = (stored.triangles.length - mesh.triangles.length) / 3;
  const change = { name: 'reduce-triangles', changed, maxDisplacementMm: maxDistanceMm };
  return succeeded({ report: createChangeReport(before, analyzed, change) });
};
