import { parseInternal, serializeInternal } from '../../mesh/formats/internal.js';
import { repair } from '../../mesh/repair/repair.js';
import { readWhole, writeWhole } from './files.js';
import { done, type JobFunction, outputOf } from './job-function.js';

/** Repairs a model. */
export const repairModel: JobFunction = (job, onProgress) => {
  const stored = parseInternal(readWhole(job.inputPath));
  const { mesh, known, report, isSuccessful, reason } = repair(stored, {
    onProgress,
    known: stored.known,
    innerShells: job.parameters.innerShells,
  });
  if (!isSuccessful) {
    const message = `the model could not be repaired: ${reason ?? 'it is still open'}`;
    return { type: 'failed', code: 'REPAIR_INCOMPLETE', message, result: { report } };
  }
  writeWhole(outputOf(job), serializeInternal(mesh, known));
  return done({ report });
};
