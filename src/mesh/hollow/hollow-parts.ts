import { analyzeWithPlaces } from '../analysis/analyze.js';
import { type AnalyzedPart, analyzeWithParts } from '../analysis/analyze-parts.js';
import type { IndexedMesh } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { namePart } from '../spatial/split-parts.js';
import { joinMeshes } from '../topology/join-meshes.js';
import { type HollowOptions, type HollowResult, hollow } from './hollow.js';

/** Hollowed parts, and those in which no cavity remains within the walls. */
export interface HollowPartsResult extends HollowResult {
  filledParts: string[];
}

/**
 * Hollows each of the parts of a model by itself, as `hollow` does inward: parts that touch or overlap stay separate. A part without
 * room for a cavity stays as it is.
 *
 * @throws MeshError as `hollow`, with the name of the part that is not a solid, or if no part has room for a cavity
 */
export function hollowParts(parts: readonly IndexedMesh[], options: HollowOptions): HollowPartsResult {
  const results: (AnalyzedPart & Partial<HollowResult>)[] = [];
  const filledParts: string[] = [];
  let failure: unknown;
  for (const [index, part] of parts.entries()) {
    const analyzed = analyzeWithPlaces(part);
    const onProgress = (progress: number) => options.onProgress?.((index + progress) / parts.length);
    try {
      results.push(hollow(part, analyzed, { ...options, onProgress }));
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      const name = namePart(part, index);
      if (error.code !== 'NOTHING_LEFT') throw new MeshError(error.code, `${error.message} (part “${name}”)`);
      failure = error;
      filledParts.push(name);
      results.push({ mesh: part, analyzed });
    }
  }
  if (filledParts.length === parts.length) throw failure;
  const sum = (read: (result: Partial<HollowResult>) => number | undefined) =>
    results.reduce((total, result) => total + (read(result) ?? 0), 0);
  const joined = joinMeshes(results.map((result) => result.mesh));
  return {
    mesh: joined,
    analyzed: analyzeWithParts(joined, results),
    cavityCount: sum(({ cavityCount }) => cavityCount),
    looseBodyCount: sum(({ looseBodyCount }) => looseBodyCount),
    drainHoles: results.flatMap(({ drainHoles = [] }) => drainHoles),
    flatWallMm: results.reduce((max, { flatWallMm = 0 }) => Math.max(max, flatWallMm), 0),
    filledParts,
  };
}
