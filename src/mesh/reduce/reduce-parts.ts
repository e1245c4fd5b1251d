import { analyzeWithPlaces } from '../analysis/analyze.js';
import { type AnalyzedPart, analyzeWithParts } from '../analysis/analyze-parts.js';
import type { IndexedMesh } from '../core/mesh.js';
import { splitParts } from '../spatial/split-parts.js';
import { joinMeshes } from '../topology/join-meshes.js';
import { type ReduceOptions, type ReductionResult, reduceTriangles } from './reduce-triangles.js';

/**
 * Simplifies each part of a model by itself, as `reduceTriangles` does: parts that touch or overlap stay separate, and
 * solids stay solids. Each part gets its share of `targetTriangles`.
 */
export function reduceParts(mesh: IndexedMesh, options: ReduceOptions): ReductionResult {
  const parts = splitParts(mesh);
  const { targetTriangles = 0 } = options;
  let maxDistanceMm = 0;
  let isLimited = false;
  const reduced = parts.map((part, index): AnalyzedPart => {
    const share = Math.floor((targetTriangles * part.triangles.length) / mesh.triangles.length);
    const result = reduceTriangles(part, analyzeWithPlaces(part), {
      ...options,
      targetTriangles: targetTriangles > 0 ? Math.max(1, share) : 0,
      onProgress: (progress) => options.onProgress?.((index + progress) / parts.length),
    });
    maxDistanceMm = Math.max(maxDistanceMm, result.maxDistanceMm);
    isLimited ||= result.isLimited;
    return result;
  });
  const joined = joinMeshes(reduced.map((part) => part.mesh));
  return { mesh: joined, analyzed: analyzeWithParts(joined, reduced), maxDistanceMm, isLimited };
}
