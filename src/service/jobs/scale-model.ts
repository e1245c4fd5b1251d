import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { analyzeModel } from '../../mesh/analysis/analyze-parts.js';
import { createChangeReport } from '../../mesh/analysis/change-report.js';
import { addNotes } from '../../mesh/analysis/model-notes.js';
import { parseInternal, serializeInternal } from '../../mesh/formats/internal-format.js';
import { findScaleFactor, scaleToSize } from '../../mesh/scale/scale-to-size.js';
import type { SCALE } from '../operations/kinds/scale.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Scales a model uniformly to a size along one axis. */
export const scaleModel: JobHandler<typeof SCALE> = (job) => {
  const { axis, scaleToSizeMm } = job.parameters;
  const { helpers, ...stored } = parseInternal(readFileFully(job.inputPath));
  const before = stored.analyzed ?? analyzeWithPlaces(stored);
  const factor = findScaleFactor(stored, axis, scaleToSizeMm);
  const mesh = scaleToSize(stored, axis, scaleToSizeMm);
  const scaledHelpers = helpers && { ...helpers, positions: helpers.positions.map((value) => value * factor) };
  const after = before.analysis.parts ? analyzeModel(mesh) : analyzeWithPlaces(mesh);
  writeFileFully(requireOutputPath(job), serializeInternal(mesh, after, stored.notes, scaledHelpers));
  const change = { name: 'scale', changed: mesh.positions.length / 3, reason: 'the model was scaled' };
  const report = createChangeReport(before, after, change);
  return succeeded({ report: addNotes(report, stored.notes) });
};
