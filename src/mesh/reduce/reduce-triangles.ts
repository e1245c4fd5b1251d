import type { AnalysisWithPlaces } from '../analysis/report.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { createWorkCounter, type WorkCounter } from '../core/work-counter.js';
import { computeBounds, diagonalOf } from '../geometry/bounds.js';
import { buildBvh } from '../spatial/bvh.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import { createMeshIndex } from '../spatial/mesh-index.js';
import { compact } from '../topology/compact.js';
import { buildEdges, findTwins } from '../topology/edges.js';
import { type Collapse, collapseEdges } from './collapse-edges.js';
import { fixVertices } from './fix-vertices.js';
import { HalfEdgeCollapseMesh, type SimplificationLimits } from './half-edge-collapse-mesh.js';
import { type Baseline, inspectReduction, toBaseline } from './inspect-reduction.js';
import {
  type EarlierMeasurement,
  type MeasuredReduction,
  measureReduction,
  type OriginalSurface,
} from './measure-reduction.js';
import { markRemovableVertices } from './removable-vertices.js';

export interface ReduceOptions extends SimplificationLimits {
  /** Ends when at most this many triangles remain. Default, and 0: as few remain as `accuracyMm` allows. */
  targetTriangles?: number | undefined;
  /**
   * Maximum number of passes. Each pass runs until no vertex can be removed; a further pass often removes a few more.
   * Ends after a pass that removes none.
   */
  numberOfIterations: number;
  /**
   * Maximum number of visits: of nodes and triangles of BVHs, and of one-rings. Default: 1000 per triangle, but at
   * least 100 million.
   */
  maxVisits?: number | undefined;
  onProgress?: OnProgress | undefined;
}

export interface ReductionResult {
  mesh: IndexedMesh;
  /** The analysis of `mesh`. */
  analyzed: AnalysisWithPlaces;
  /**
   * The maximum distance of a sample point of one surface from the other. Below a quarter of `accuracyMm`, or with
   * `targetTriangles` below 1e-5 of the diagonal, it is not exact: no point is farther.
   */
  maxDistanceMm: number;
  /** Whether the work ended at its limit. Fewer triangles are then removed than possible, or none. */
  isLimited: boolean;
}

const TRIANGLES_PER_COLLAPSE = 2;

/** Maximum number of attempts, each with more fixed vertices, before the mesh stays unchanged. */
const MAX_ATTEMPTS = 12;
/** From this attempt on, all edges are collapsed anew, with a smaller accuracy everywhere. */
const FIRST_NEW_START = 8;

/**
 * The accuracy of the first attempt is reduced by this factor, since between the tracked points the distance is larger.
 */
const INITIAL_ACCURACY_FACTOR = 0.85;
/** Each further attempt reduces the accuracy by this factor, where edges are not collapsed as before. */
const RETRY_FACTOR = 0.9;
/** Each new start reduces the accuracy by this factor. */
const NEW_START_FACTOR = 0.5;

/** The reduction visits so many nodes and triangles of BVHs and of one-rings per triangle, at most. */
export const MAX_VISITS_PER_TRIANGLE = 1000;
/** The same limit for small models. So many visits take two seconds. */
export const MIN_VISIT_LIMIT = 100_000_000;
/** The test of a pair of triangles for intersections takes as long as so many visits. */
const VISITS_PER_PAIR = 4;

/** The distance of a result is measured exactly from this fraction of the accuracy on. */
const EXACT_FRACTION = 0.25;
/** The distance of a result with a target is measured exactly from this fraction of the diagonal on. */
const TARGET_EXACT_FRACTION = 1e-5;

/**
 * Simplifies a mesh by half-edge collapses in the order of their quadric error (Garland & Heckbert 1997). The distance
 * between the surfaces, in both directions, is at most `accuracyMm` at the sample points, and no triangle rotates by
 * more than `maxAngle` degrees. The remaining vertices do not move. The result is measured and analyzed: if it deviates
 * too far, the vertices nearby are fixed, and those that moved corners of triangles with new intersections. The
 * collapses are repeated except near them. A solid stays a solid. Returns the mesh unchanged if no attempt succeeds
 * within the limit of the work, or if the search for intersections ends at its limit and has found none. `analyzed`:
 * the analysis of the mesh.
 */
export function reduceTriangles(
  mesh: IndexedMesh,
  analyzed: AnalysisWithPlaces,
  options: ReduceOptions,
): ReductionResult {
  const work = createReductionWork(mesh, options);
  const result = tryReduce(mesh, toBaseline(analyzed), options, work);
  return { ...(result ?? { mesh, analyzed, maxDistanceMm: 0 }), isLimited: work.isExceeded() };
}

/** Simplifies a mesh that is a solid by construction, as `reduceTriangles`. The result was analyzed, and is a solid. */
export function reduceSolid(mesh: IndexedMesh, options: ReduceOptions): IndexedMesh {
  const before = { level: 'solid', intersectingTriangles: 0, overlappingTriangles: 0, isComplete: true } as const;
  return tryReduce(mesh, before, options, createReductionWork(mesh, options))?.mesh ?? mesh;
}

function createReductionWork({ triangles }: IndexedMesh, { maxVisits }: ReduceOptions): WorkCounter {
  const defaultLimit = Math.max(MIN_VISIT_LIMIT, (triangles.length / 3) * MAX_VISITS_PER_TRIANGLE);
  return createWorkCounter(maxVisits ?? defaultLimit);
}

interface Reduction extends Omit<MeasuredReduction, 'twins'> {
  remaining: IndexedMesh;
}

/** Returns `undefined` if no attempt succeeds within the limit of the work. */
function tryReduce(
  mesh: IndexedMesh,
  before: Baseline,
  options: ReduceOptions,
  work: WorkCounter,
): Omit<ReductionResult, 'isLimited'> | undefined {
  const twins = findTwins(mesh.triangles, buildEdges(mesh.triangles, mesh.positions.length / 3));
  const original: OriginalSurface = { mesh, tree: buildBvh(mesh.positions, mesh.triangles), twins };
  const isRemovable = markRemovableVertices(mesh, twins);
  const { accuracyMm, targetTriangles } = options;
  const exactMm = targetTriangles
    ? diagonalOf(computeBounds(mesh.positions)) * TARGET_EXACT_FRACTION
    : accuracyMm * EXACT_FRACTION;
  let earlier: readonly Collapse[] = [];
  let measured: EarlierMeasurement | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && !work.isExceeded(); attempt++) {
    // 1. Simplify, as in the attempt before, but with a smaller accuracy where that is not possible.
    if (attempt >= FIRST_NEW_START) earlier = [];
    const factor = RETRY_FACTOR ** attempt * NEW_START_FACTOR ** Math.max(0, attempt - FIRST_NEW_START + 1);
    const limits = { ...options, accuracyMm: accuracyMm * INITIAL_ACCURACY_FACTOR * factor };
    const reduction = simplify(original, isRemovable, earlier, limits, work);
    const { collapses } = reduction;
    if (collapses.length === 0) break;
    // 2. Measure and analyze the result.
    const reduced = toMesh(reduction);
    const index = createMeshIndex(reduced, { bvh: () => reduction.tree });
    const measuredReduction = { ...reduction, twins: index.twins() };
    const measureLimits = { limitMm: accuracyMm, exactMm };
    const measurement = measureReduction(original, measuredReduction, measureLimits, measured, work);
    const { outliers } = measurement;
    // With a target, the distance of this result alone is reported.
    measured = targetTriangles ? undefined : measurement.measured;
    const { analyzed, intersecting, isComplete, checkedPairs } = inspectReduction(
      index,
      before,
      measurement.isSelected,
      outliers.length === 0,
    );
    if (analyzed && outliers.length === 0) {
      const complete = measurement.isMaximum
        ? measurement
        : measureReduction(original, measuredReduction, measureLimits, undefined, work);
      return { mesh: reduced, analyzed, maxDistanceMm: complete.maxDistanceMm };
    }
    work.add(checkedPairs * VISITS_PER_PAIR);
    // The next result is then compared with the original surface again.
    if (!isComplete) measured = undefined;
    for (const triangle of intersecting) measurement.measured.isFaulty[measurement.originalOf[triangle]] = 1;
    // 3. Fix the vertices that are at fault for the next attempt.
    const { originalOf } = measurement;
    const faults = { reduction, originalOf, outliers, intersecting, attempt, work };
    const hasFaults = fixVertices(original, isRemovable, faults);
    // A search that ends at its limit would end there again.
    if (!hasFaults && !isComplete) break;
    // Without a place that is at fault, the same collapses would fail again: all edges are collapsed anew.
    earlier = hasFaults ? collapses : [];
  }
  return undefined;
}

/** Simplifies a mesh. `earlier`: the collapses of the attempt before, which are repeated where they are possible. */
function simplify(
  { mesh, tree, twins }: OriginalSurface,
  isRemovable: Uint8Array,
  earlier: readonly Collapse[],
  options: ReduceOptions,
  work: WorkCounter,
): Reduction {
  const { numberOfIterations, targetTriangles = 0, onProgress } = options;
  const surface = new HalfEdgeCollapseMesh(mesh, new DistanceQuery(mesh, tree, twins, work), options, work);
  const vertexCount = mesh.positions.length / 3;
  const maxRemoved = Math.ceil((mesh.triangles.length / 3 - targetTriangles) / TRIANGLES_PER_COLLAPSE);
  const collapses: Collapse[] = [];
  for (let pass = 0; pass < numberOfIterations && collapses.length < maxRemoved; pass++) {
    const added = collapseEdges(surface, isRemovable, {
      maxRemoved: maxRemoved - collapses.length,
      earlier: pass === 0 ? earlier : [],
      testsAll: targetTriangles > 0,
      onProgress: (count) => onProgress?.(Math.min(1, count / vertexCount)),
    });
    if (added.length === 0) break;
    for (const collapse of added) collapses.push(collapse);
  }
  const remaining = surface.toMesh();
  const remainingTree = buildBvh(remaining.positions, remaining.triangles);
  return { triangles: surface.triangles, isRemoved: surface.isRemoved, collapses, remaining, tree: remainingTree };
}

/** Returns the mesh of a reduction, without unused vertices. */
function toMesh({ remaining }: Reduction): IndexedMesh {
  const { positions, triangles } = compact(remaining.positions, remaining.triangles);
  return { ...remaining, positions, triangles };
}
