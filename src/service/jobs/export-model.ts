import { fitToFormat } from '../../mesh/formats/fit-to-format.js';
import { parseInternal } from '../../mesh/formats/internal.js';
import { serializeModel } from '../../mesh/formats/serialize-model.js';
import { readWhole, writeWhole } from './files.js';
import { done, type JobFunction, outputOf } from './job-function.js';

/** Makes a file of a model. */
export const exportModel: JobFunction = (job) => {
  const format = job.parameters.exportToFormat ?? '';
  const { mesh, report } = fitToFormat(parseInternal(readWhole(job.inputPath)), format);
  writeWhole(outputOf(job), serializeModel(mesh, format));
  return done(report ? { report } : {});
};
