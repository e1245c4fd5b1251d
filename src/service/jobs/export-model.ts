import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { addNotes } from '../../mesh/analysis/model-notes.js';
import { createUnchangedReport } from '../../mesh/analysis/unchanged-report.js';
import { fitToFormat } from '../../mesh/formats/fit-to-format.js';
import { createLeftOutWarnings } from '../../mesh/formats/helper-bodies/left-out-warnings.js';
import { parseInternal } from '../../mesh/formats/internal-format.js';
import { serializeModel } from '../../mesh/formats/serialize-model.js';
import type { EXPORT } from '../operations/kinds/export.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Exports a model to a file. */
export const exportModel: JobHandler<typeof EXPORT> = (job) => {
  const format = job.parameters.exportToFormat;
  const stored = parseInternal(readFileFully(job.inputPath));
  const { mesh, report } = fitToFormat(stored, format, stored.analyzed?.analysis.parts !== undefined);
  writeFileFully(requireOutputPath(job), serializeModel(mesh, format, stored.helpers));
  const warnings = createLeftOutWarnings(stored.helpers, format);
  if (!report && warnings.length === 0) return succeeded({});
  const known = report ?? createUnchangedReport(stored.analyzed ?? analyzeWithPlaces(stored));
  return succeeded({ report: addNotes({ ...known, warnings: [...known.warnings, ...warnings] }, stored.notes) });
};
