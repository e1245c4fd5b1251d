import zlib from 'node:zlib';
import { parseInternal } from '../../mesh/formats/internal-format.js';
import { renderImage } from '../../mesh/rendering/render-image.js';
import { serializePng } from '../../mesh/rendering/serialize-png.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Renders a thumbnail of a model as PNG. */
export const drawThumbnail: JobHandler = (job) => {
  const { width = 512, height = 512, cameraAngleX = 25, cameraAngleY = 0, cameraAngleZ = -35 } = job.parameters;
  const image = renderImage(parseInternal(readFileFully(job.inputPath)), {
    width,
    height,
    angles: { x: cameraAngleX, y: cameraAngleY, z: cameraAngleZ },
    isTransparent: job.parameters.background === 'transparent',
  });
  writeFileFully(requireOutputPath(job), serializePng(image, zlib));
  return succeeded({});
};
