import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { createChangeReport } from '../../mesh/analysis/change-report.js';
import { parseInternal, serializeInternal } from '../../mesh/formats/internal-format.js';
import { hollow } from '../../mesh/hollow/hollow.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Makes a model hollow. */
export const hollowModel: JobHandler = (job, onProgress) => {
  const { wallThicknessMm = 0 } = job.parameters; // the service lets no start without it
  const stored = parseInternal(readFileFully(job.inputPath));
  const before = stored.analyzed ?? analyzeWithPlaces(stored);
  const { mesh, analyzed, cavityCount, flatWallMm } = hollow(stored, before, wallThicknessMm, onProgress);
  writeFileFully(requireOutputPath(job), serializeInternal(mesh, analyzed));
  const message = `The walls are ${flatWallMm.toFixed(2)} mm where the surface is flat, so that they are nowhere below ${wallThicknessMm} mm. The cavity has no way out: what does not harden stays in it`;
  const warnings = [{ code: 'CAVITY_CLOSED', message }];
  return succeeded({
    report: createChangeReport(before, analyzed, { name: 'hollowing', changed: cavityCount, warnings }),
  });
};
