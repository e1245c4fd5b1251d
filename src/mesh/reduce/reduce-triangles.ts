import { analyzeWithPlaces } from '../analysis/analyze.js';
import type { AnalysisWithPlaces, SolidityLevel } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { findIntersections } from '../intersections/find-intersections.js';
import { buildBvh, forEachTriangleInBox } from '../spatial/bvh.js';
import { compact } from '../topology/compact.js';
import { collapseEdges } from './collapse-edges.js';
import { HalfEdgeCollapseMesh, type SimplificationLimits } from './half-edge-collapse-mesh.js';
import { measureDeviation, type Outlier } from './measure-deviation.js';
import { markRemovableVertices } from './removable-vertices.js';

export interface ReduceOptions extends SimplificationLimits {
  /** Passes, each of which goes on until nothing can go any more; a further one often finds a little more. It ends early where none does. */
  numberOfIterations: number;
  onProgress?: OnProgress | undefined;
}

export interface ReductionResult {
  mesh: IndexedMesh;
  /** The analysis of `mesh`. */
  analyzed: AnalysisWithPlaces;
  /** How far the two surfaces are from each other at most, in mm, as far as was looked. */
  maxDistanceMm: number;
}

// How often it is begun again with more vertices held in place, before the model stays as it is.
const MAX_ATTEMPTS = 6;

// Between the points that are watched the surface is a little farther away: that much less is allowed at first, and then less each time.
const INITIAL_ACCURACY_FACTOR = 0.85;
const RETRY_FACTOR = 0.75;

const LEVEL_RANK: Record<SolidityLevel, number> = { open: 0, watertight: 1, manifold: 2, solid: 3 };

/**
 * Leaves out triangles where fewer tell nearly the same: the surface stays within `accuracyMm` of what it was, both ways, and no triangle
 * turns by more than `maxAngle` degrees. What remains of the vertices stays where it is. Distances are measured in the end, and the result is
 * analysed: where it went too far, or crosses itself where the model did not, the vertices round about are held, and it is done again. A solid
 * stays a solid. `analyzed`: the analysis of the mesh.
 */
export function reduceTriangles(
  mesh: IndexedMesh,
  analyzed: AnalysisWithPlaces,
  options: ReduceOptions,
): ReductionResult {
  const isFree = markRemovableVertices(mesh);
  const tree = buildBvh(mesh.positions, mesh.triangles);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const reduced = simplify(mesh, isFree, {
      ...options,
      accuracyMm: options.accuracyMm * INITIAL_ACCURACY_FACTOR * RETRY_FACTOR ** attempt,
    });
    if (reduced.triangles.length === mesh.triangles.length) break;
    const { outliers, maxDistanceMm } = measureDeviation(mesh, reduced, options.accuracyMm);
    const after = analyzeWithPlaces(reduced);
    const isSound = isNotWorse(after, analyzed);
    if (isSound && outliers.length === 0) return { mesh: reduced, analyzed: after, maxDistanceMm };
    const bad = [
      ...outliers.map((stray) => boxAroundOutlier(stray, attempt)),
      ...(isSound ? [] : boxesOfIntersectingTriangles(reduced)),
    ];
    for (const { min, max } of bad) {
      forEachTriangleInBox(tree, min, max, (triangle) => {
        for (let k = 0; k < 3; k++) isFree[mesh.triangles[triangle * 3 + k]] = 0;
      });
    }
  }
  return { mesh, analyzed, maxDistanceMm: 0 };
}

function simplify(mesh: IndexedMesh, isFree: Uint8Array, options: ReduceOptions): IndexedMesh {
  const { numberOfIterations, onProgress } = options;
  const surface = new HalfEdgeCollapseMesh(mesh, options);
  const vertexCount = mesh.positions.length / 3;
  for (let pass = 0; pass < numberOfIterations; pass++) {
    const gone = collapseEdges(surface, isFree, (count) => onProgress?.(Math.min(1, count / vertexCount)));
    if (gone === 0) break;
  }
  const remaining = surface.toMesh();
  const { positions, triangles } = compact(remaining.positions, remaining.triangles);
  return { ...remaining, positions, triangles };
}

/** Whether nothing became worse: the level is as high, and no further triangles cross. */
function isNotWorse({ analysis: after }: AnalysisWithPlaces, { analysis: before }: AnalysisWithPlaces): boolean {
  const isAsHigh = LEVEL_RANK[verdictOf(after).level] >= LEVEL_RANK[verdictOf(before).level];
  return isAsHigh && after.qualityParams.intersectingTriangles <= before.qualityParams.intersectingTriangles;
}

/** Round a point that is too far away: what of the model should have stayed is nearest to it. The wider, the more often it was tried. */
const boxAroundOutlier = ({ x, y, z, distanceMm }: Outlier, attempt: number) => {
  const reach = distanceMm * (1 + attempt / 4);
  return { min: [x - reach, y - reach, z - reach], max: [x + reach, y + reach, z + reach] };
};

function boxesOfIntersectingTriangles(mesh: IndexedMesh) {
  const { crossing, overlapping } = findIntersections(mesh);
  return [...crossing, ...overlapping].map((triangle) => {
    const corners = [0, 1, 2].map((k) => mesh.triangles[triangle * 3 + k] * 3);
    const along = (axis: number): number[] => corners.map((corner) => mesh.positions[corner + axis]);
    return {
      min: [0, 1, 2].map((axis) => Math.min(...along(axis))),
      max: [0, 1, 2].map((axis) => Math.max(...along(axis))),
    };
  });
}
