import { parseInternal } from '../../mesh/formats/internal.js';
import { shrinkwrap } from '../../mesh/shrinkwrap/shrinkwrap.js';
import { readWhole } from './files.js';
import type { JobFunction } from './job-function.js';
import { keepRepaired } from './repair-model.js';

/** Makes a solid of a model, as a new surface round it. */
export const shrinkwrapModel: JobFunction = (job, onProgress) => {
  const stored = parseInternal(readWhole(job.inputPath));
  const { accuracy = 'Smooth' } = job.parameters;
  return keepRepaired(job, shrinkwrap(stored, { accuracy, precomputed: stored.analyzed, onProgress }));
};
