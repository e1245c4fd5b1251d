import { parseInternal } from '../../mesh/formats/internal.js';
import { serializePng } from '../../mesh/formats/png.js';
import { renderImage } from '../../mesh/picture/draw-picture.js';
import { readWhole, writeWhole } from './files.js';
import { done, type JobFunction, outputOf } from './job-function.js';

/** Draws a picture of a model, as PNG. */
export const drawThumbnail: JobFunction = (job) => {
  const { width = 512, height = 512, cameraAngleX = 25, cameraAngleY = 0, cameraAngleZ = -35 } = job.parameters;
  const picture = renderImage(parseInternal(readWhole(job.inputPath)), {
    width,
    height,
    angles: { x: cameraAngleX, y: cameraAngleY, z: cameraAngleZ },
    isTransparent: job.parameters.background === 'transparent',
  });
  writeWhole(outputOf(job), serializePng(picture));
  return done({});
};
