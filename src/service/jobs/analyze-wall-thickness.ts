import { type Colors, serializeGlb } from '../../mesh/formats/gltf/glb-writer.js';
import { parseInternal } from '../../mesh/formats/internal-format.js';
import { computeBounds } from '../../mesh/geometry/bounds.js';
import { findFarOrigin } from '../../mesh/geometry/far-origin.js';
import { analyzePartWalls } from '../../mesh/thickness/analyze-part-walls.js';
import { analyzeWalls, WALL_OBJECT_NAMES } from '../../mesh/thickness/analyze-walls.js';
import type { WALL_THICKNESS_ANALYSIS } from '../operations/kinds/wall-thickness-analysis.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** The linear RGB colors of the walls in the output file. */
const COLORS: Colors = {
  [WALL_OBJECT_NAMES.thin]: [0.75, 0.03, 0.04],
  [WALL_OBJECT_NAMES.possiblyThin]: [0.9, 0.55, 0.05],
  [WALL_OBJECT_NAMES.fine]: [0.45, 0.5, 0.55],
};

/** Finds thin walls of a model, and writes a model file in which they are colored. */
export const analyzeWallThickness: JobHandler<typeof WALL_THICKNESS_ANALYSIS> = (job, onProgress) => {
  const { minimalWallThicknessMm, accuracyWallThickness } = job.parameters;
  const options = { minThicknessMm: minimalWallThicknessMm, accuracy: accuracyWallThickness, onProgress };
  const stored = parseInternal(readFileFully(job.inputPath));
  const analyze = stored.analyzed?.analysis.parts ? analyzePartWalls : analyzeWalls;
  const { hasThinWalls, hasPossibleThinWalls, thinnestPlaces, marked } = analyze(stored, options);
  writeFileFully(
    requireOutputPath(job),
    serializeGlb({ ...marked, origin: findFarOrigin(computeBounds(marked.positions)) }, COLORS),
  );
  return succeeded({ fields: { hasThinWalls, hasPossibleThinWalls, thinnestPlaces } });
};
