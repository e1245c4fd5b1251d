import { parseInternal } from '../../mesh/formats/internal-format.js';
import type { PREVIEW } from '../operations/kinds/preview.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Creates a small GLB of a model and its defects, for a viewer. Loads meshoptimizer, which few jobs need. */
export const previewModel: JobHandler<typeof PREVIEW> = async (job) => {
  const { createPreview } = await import('../../mesh/preview/create-preview.js');
  const { serializePreview } = await import('../../mesh/formats/gltf/preview-writer.js');
  const stored = parseInternal(readFileFully(job.inputPath));
  const options = { maxTriangles: job.parameters.triangles, analyzed: stored.analyzed, notes: stored.notes };
  const preview = await createPreview(stored, options);
  writeFileFully(requireOutputPath(job), await serializePreview(preview));
  return succeeded({});
};
