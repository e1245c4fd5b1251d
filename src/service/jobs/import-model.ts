import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { createUnchangedReport } from '../../mesh/analysis/unchanged-report.js';
import { serializeInternal } from '../../mesh/formats/internal-format.js';
import { parseModel } from '../../mesh/formats/parse-model.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Makes a model of a file, and keeps its analysis with it. */
export const importModel: JobHandler = async (job, onProgress) => {
  const { measurementUnits, accuracyMm, maxAngle } = job.parameters;
  const options = { filename: job.filename, measurementUnits, accuracyMm, maxAngle, onProgress };
  const { mesh, warnings } = await parseModel(readFileFully(job.inputPath), options);
  const known = analyzeWithPlaces(mesh);
  writeFileFully(requireOutputPath(job), serializeInternal(mesh, known));
  return succeeded({ report: createUnchangedReport(known, warnings) });
};
