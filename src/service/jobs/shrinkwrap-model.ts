import { selectWholeAnalysis } from '../../mesh/analysis/analyze-parts.js';
import { parseInternal } from '../../mesh/formats/internal-format.js';
import { closeMesh } from '../../mesh/repair/close-mesh.js';
import { shrinkwrap } from '../../mesh/shrinkwrap/shrinkwrap.js';
import type { SHRINKWRAP_REPAIR } from '../operations/kinds/shrinkwrap-repair.js';
import type { JobHandler } from './job-handler.js';
import { finishRepair } from './repair-model.js';
import { readFileFully } from './whole-files.js';

/** Repairs a model by wrapping it in a new closed surface. */
export const shrinkwrapModel: JobHandler<typeof SHRINKWRAP_REPAIR> = (job, onProgress) => {
  const stored = parseInternal(readFileFully(job.inputPath));
  const { accuracy } = job.parameters;
  const options = { accuracy, close: closeMesh, precomputed: selectWholeAnalysis(stored.analyzed), onProgress };
  const { hasParts: _, ...notes } = stored.notes; // they are one surface now
  return finishRepair(job, { ...stored, notes }, shrinkwrap(stored, options));
};
