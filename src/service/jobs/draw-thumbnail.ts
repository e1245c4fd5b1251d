import zlib from 'node:zlib';
import { parseInternal } from '../../mesh/formats/internal-format.js';
import { renderImage } from '../../mesh/rendering/render-image.js';
import { serializePng } from '../../mesh/rendering/serialize-png.js';
import type { THUMBNAIL } from '../operations/kinds/thumbnail.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Renders a thumbnail of a model as PNG. */
export const drawThumbnail: JobHandler<typeof THUMBNAIL> = (job) => {
  const { width, height, cameraAngleX, cameraAngleY, cameraAngleZ, background } = job.parameters;
  const image = renderImage(parseInternal(readFileFully(job.inputPath)), {
    width,
    height,
    angles: { x: cameraAngleX, y: cameraAngleY, z: cameraAngleZ },
    isTransparent: background === 'transparent',
  });
  writeFileFully(requireOutputPath(job), serializePng(image, zlib));
  return succeeded({});
};
