import { analyzeIndexed } from '../analysis/analyze.js';
import type { AnalysisWithPlaces, SolidityLevel } from '../analysis/report.js';
import { hasMatchingEdges, verdictOf } from '../analysis/verdict.js';
import { findIntersections } from '../intersections/find-intersections.js';
import { findIntersectionsOf, markDegenerateTrianglesOf } from '../intersections/mark-intersecting.js';
import type { Intersections } from '../intersections/search-pairs.js';
import type { MeshIndex } from '../spatial/mesh-index.js';

/** Up to this fraction of the triangles, testing the pairs of those that changed is faster than the contour test of all. */
const MAX_UNPRUNED_FRACTION = 0.25;

const LEVEL_RANK: Record<SolidityLevel, number> = { open: 0, watertight: 1, manifold: 2, solid: 3 };

/** What a reduction must not make worse. */
export interface Baseline {
  /** `open` also if edges do not match, so that a reduction causes no such edges either. */
  level: SolidityLevel;
  intersectingTriangles: number;
  overlappingTriangles: number;
  /** False if the search for intersections ended at its limit: there may be more. */
  isComplete: boolean;
}

/** Returns the baseline of an analyzed mesh. */
export function toBaseline({ analysis }: AnalysisWithPlaces): Baseline {
  const { intersectingTriangles, overlappingTriangles } = analysis.qualityParams;
  const isComplete = analysis.isIntersectionCheckComplete;
  const level = hasMatchingEdges(analysis) ? verdictOf(analysis).level : 'open';
  return { level, intersectingTriangles, overlappingTriangles, isComplete };
}

/** A reduced mesh that is worse than the original one has no analysis. */
export interface Inspection {
  analyzed?: AnalysisWithPlaces;
  /** The triangles that cross or overlap others, if they make the mesh worse. */
  intersecting: number[];
  /** False if the search for intersections ended at its limit: there may be more. */
  isComplete: boolean;
  /** Number of pairs of triangles that were visited. */
  checkedPairs: number;
}

/**
 * Finds out whether a reduced mesh is worse than the original one, and where. No triangles of a solid intersect: of its
 * reduction, only pairs with a changed triangle are tested.
 *
 * @param isChanged triangle → 1 if it differs from those of the original mesh, or of an earlier result where it did not
 *   intersect others
 * @param isWithinLimit whether the mesh is near the original one. If not, a mesh without intersections is not analyzed.
 */
export function inspectReduction(
  index: MeshIndex,
  before: Baseline,
  isChanged: Uint8Array,
  isWithinLimit: boolean,
): Inspection {
  let checkedPairs = 0;
  if (before.level === 'solid') {
    const changed = findIntersectionsOfChanged(index, isChanged);
    const intersecting = listIntersecting(changed);
    checkedPairs = changed.checkedPairs;
    if (intersecting.length > 0 || !isWithinLimit)
      return { intersecting, isComplete: changed.isComplete, checkedPairs };
    if (changed.isComplete) index.provide(findIntersectionsOf, changed);
  }
  const analyzed = analyzeIndexed(index);
  const all = index.derive(findIntersectionsOf);
  checkedPairs += all.checkedPairs;
  if (isNotWorse(toBaseline(analyzed), before)) return { analyzed, intersecting: [], isComplete: true, checkedPairs };
  return { intersecting: listIntersecting(all), isComplete: all.isComplete, checkedPairs };
}

function findIntersectionsOfChanged(index: MeshIndex, isChanged: Uint8Array): Intersections {
  const changedCount = isChanged.reduce((count, changed) => count + changed, 0);
  return findIntersections(index.mesh, {
    tree: index.bvh(),
    isDegenerate: index.derive(markDegenerateTrianglesOf),
    twins: changedCount > isChanged.length * MAX_UNPRUNED_FRACTION ? index.twins() : undefined,
    isRelevant: isChanged,
  });
}

function listIntersecting({ crossing, overlapping }: Intersections): number[] {
  return [...crossing, ...overlapping];
}

/**
 * Whether the level is at least as high and the numbers of intersecting and overlapping triangles did not grow. All are
 * known if the searches were complete.
 */
function isNotWorse(after: Baseline, before: Baseline): boolean {
  const isAsHigh = LEVEL_RANK[after.level] >= LEVEL_RANK[before.level];
  const isKnown = after.isComplete || !before.isComplete;
  return (
    isAsHigh &&
    isKnown &&
    after.intersectingTriangles <= before.intersectingTriangles &&
    after.overlappingTriangles <= before.overlappingTriangles
  );
}
