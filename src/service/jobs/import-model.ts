import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { analyzeModel } from '../../mesh/analysis/analyze-parts.js';
import { addNotes } from '../../mesh/analysis/model-notes.js';
import { createUnchangedReport } from '../../mesh/analysis/unchanged-report.js';
import { createImportNotes } from '../../mesh/formats/import-notes.js';
import { serializeInternal } from '../../mesh/formats/internal-format.js';
import { parseModel } from '../../mesh/formats/parse-model.js';
import type { IMPORT } from '../operations/kinds/import.js';
import { createCompanionReader } from './companion-reader.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Imports a file as a model, and stores its analysis and its notes with it. */
export const importModel: JobHandler<typeof IMPORT> = async (job, onProgress, runner) => {
  const { measurementUnits, accuracyMm, maxAngle, entry } = job.parameters;
  const readCompanion = job.companionFolder === undefined ? undefined : createCompanionReader(job.companionFolder);
  const meshing = { measurementUnits, accuracyMm, maxAngle };
  const options = { filename: job.filename, ...meshing, entry, readCompanion, onProgress };
  const { mesh, ...imported } = await parseModel(readFileFully(job.inputPath), options);
  const analyzed = imported.hasParts ? analyzeModel(mesh, runner) : analyzeWithPlaces(mesh, runner);
  const notes = createImportNotes(imported, analyzed.analysis, measurementUnits);
  writeFileFully(requireOutputPath(job), serializeInternal(mesh, analyzed, notes));
  const report = addNotes(createUnchangedReport(analyzed), notes);
  return { ...succeeded({ report }), usesLibrary: imported.usesLibrary };
};
