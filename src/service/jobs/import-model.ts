import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { createUnchangedReport } from '../../mesh/analysis/unchanged-report.js';
import { serializeInternal } from '../../mesh/formats/internal.js';
import { parseModel } from '../../mesh/formats/parse-model.js';
import { readWhole, writeWhole } from './files.js';
import { done, type JobFunction, outputOf } from './job-function.js';

/** Makes a model of a file, and keeps its analysis with it. */
export const importModel: JobFunction = async (job, onProgress) => {
  const { measurementUnits, accuracyMm, maxAngle } = job.parameters;
  const options = { filename: job.filename, measurementUnits, accuracyMm, maxAngle, onProgress };
  const { mesh, warnings } = await parseModel(readWhole(job.inputPath), options);
  const known = analyzeWithPlaces(mesh);
  writeWhole(outputOf(job), serializeInternal(mesh, known));
  return done({ report: createUnchangedReport(known, warnings) });
};
