import { type Colors, serializeGlb } from '../../mesh/formats/glb-writer.js';
import { parseInternal } from '../../mesh/formats/internal.js';
import { analyzeWalls, WALL_OBJECT_NAMES } from '../../mesh/thickness/analyze-walls.js';
import { readWhole, writeWhole } from './files.js';
import { done, type JobFunction, outputOf } from './job-function.js';

/** What the walls look like in the file. */
const COLOURS: Colors = {
  [WALL_OBJECT_NAMES.thin]: [0.75, 0.03, 0.04],
  [WALL_OBJECT_NAMES.possiblyThin]: [0.9, 0.55, 0.05],
  [WALL_OBJECT_NAMES.fine]: [0.45, 0.5, 0.55],
};

/** Finds thin walls of a model, and writes it with them in colours. */
export const analyzeWallThickness: JobFunction = (job, onProgress) => {
  const { minimalWallThicknessMm = 0, accuracyWallThickness = 0 } = job.parameters; // the service lets no start without them
  const options = { minThicknessMm: minimalWallThicknessMm, accuracy: accuracyWallThickness, onProgress };
  const { hasThinWalls, hasPossibleThinWalls, marked } = analyzeWalls(parseInternal(readWhole(job.inputPath)), options);
  writeWhole(outputOf(job), serializeGlb(marked, COLOURS));
  return done({ walls: { hasThinWalls, hasPossibleThinWalls } });
};
