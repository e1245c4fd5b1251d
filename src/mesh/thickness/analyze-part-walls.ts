import type { IndexedMesh } from '../core/mesh.js';
import { computeBounds } from '../geometry/bounds.js';
import { splitParts } from '../spatial/split-parts.js';
import { joinMeshes } from '../topology/join-meshes.js';
import { fromTaggedMesh, toTaggedMesh } from '../topology/tagged-mesh.js';
import { analyzeWalls, WALL_OBJECT_NAMES, type WallAnalysis, type WallOptions } from './analyze-walls.js';
import { ThinnestPlaces } from './thinnest-places.js';

/** Finds the thin walls of each part of a mesh by itself, as `analyzeWalls` does: where parts touch is no wall. */
export function analyzePartWalls(mesh: IndexedMesh, options: WallOptions): WallAnalysis {
  const parts = splitParts(mesh);
  const analyses = parts.map((part, index) => {
    const onProgress = (progress: number) => options.onProgress?.((index + progress) / parts.length);
    return analyzeWalls(part, { ...options, onProgress });
  });
  const thinnest = new ThinnestPlaces(computeBounds(mesh.positions), options.minThicknessMm);
  for (const { x, y, z, thicknessMm } of analyses.flatMap(({ thinnestPlaces }) => thinnestPlaces))
    thinnest.add(Float64Array.of(x, y, z), thicknessMm);
  return {
    hasThinWalls: analyses.some(({ hasThinWalls }) => hasThinWalls),
    hasPossibleThinWalls: analyses.some(({ hasPossibleThinWalls }) => hasPossibleThinWalls),
    thinnestPlaces: thinnest.list(),
    marked: joinByName(analyses.map(({ marked }) => marked)),
    spacingMm: analyses.reduce((max, { spacingMm }) => Math.max(max, spacingMm), 0),
  };
}

/** Joins marked meshes. Their objects of the same class are one. */
function joinByName(marked: readonly IndexedMesh[]): IndexedMesh {
  const names: readonly string[] = Object.values(WALL_OBJECT_NAMES);
  const joined = joinMeshes(marked);
  const { objects = [] } = joined;
  const tagged = toTaggedMesh(joined);
  const objectOf = tagged.objectOf.map((tag) => names.indexOf(objects[tag - 1].name) + 1);
  const ranges = names.map((name) => ({ name, firstTriangle: 0, triangleCount: 0 }));
  return fromTaggedMesh({ ...tagged, objectOf }, ranges);
}
