import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { createChangeReport } from '../../mesh/analysis/change-report.js';
import { parseInternal, serializeInternal } from '../../mesh/formats/internal.js';
import { scaleToSize } from '../../mesh/scale/scale-to-size.js';
import { readWhole, writeWhole } from './files.js';
import { done, type JobFunction, outputOf } from './job-function.js';

/** Makes a model larger or smaller. */
export const scaleModel: JobFunction = (job) => {
  const { axis = 'x', scaleToSizeMm = 0 } = job.parameters; // the service lets no start without them
  const stored = parseInternal(readWhole(job.inputPath));
  const before = stored.analyzed ?? analyzeWithPlaces(stored);
  const mesh = scaleToSize(stored, axis, scaleToSizeMm);
  const after = analyzeWithPlaces(mesh);
  writeWhole(outputOf(job), serializeInternal(mesh, after));
  return done({ report: createChangeReport(before, after, { name: 'scale', changed: mesh.positions.length / 3 }) });
};
