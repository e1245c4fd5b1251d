import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { createChangeReport } from '../../mesh/analysis/change-report.js';
import { parseInternal, serializeInternal } from '../../mesh/formats/internal-format.js';
import { hollow } from '../../mesh/hollow/hollow.js';
import { reduceTriangles } from '../../mesh/reduce/reduce-triangles.js';
import type { HOLLOWING } from '../operations/kinds/hollowing.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Creates a cavity in a model. */
export const hollowModel: JobHandler<typeof HOLLOWING> = (job, onProgress) => {
  const { wallThicknessMm } = job.parameters;
  const stored = parseInternal(readFileFully(job.inputPath));
  const before = stored.analyzed ?? analyzeWithPlaces(stored);
  const options = { wallMm: wallThicknessMm, reduce: reduceTriangles, onProgress };
  const { mesh, analyzed, cavityCount, flatWallMm } = hollow(stored, before, options);
  writeFileFully(requireOutputPath(job), serializeInternal(mesh, analyzed));
  const walls = `Walls are ${flatWallMm.toFixed(2)} mm thick on flat areas, so that they are nowhere thinner than ${wallThicknessMm} mm.`;
  const cavity = 'The cavity has no drain hole: uncured resin or powder stays inside.';
  const warnings = [{ code: 'CAVITY_CLOSED', message: `${walls} ${cavity}` }];
  return succeeded({
    report: createChangeReport(before, analyzed, { name: 'hollowing', changed: cavityCount, warnings }),
  });
};
