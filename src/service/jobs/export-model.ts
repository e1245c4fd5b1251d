import { addNotes } from '../../mesh/analysis/model-notes.js';
import { fitToFormat } from '../../mesh/formats/fit-to-format.js';
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
  writeFileFully(requireOutputPath(job), serializeModel(mesh, format));
  return succeeded(report ? { report: addNotes(report, stored.notes) } : {});
};
