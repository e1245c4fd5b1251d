import type { IndexedMesh, MeshGeometry } from '../core/mesh.js';
import { createWorkCounter, type WorkCounter } from '../core/work-counter.js';
import { type Bvh, forEachTriangleInBox } from '../spatial/bvh.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import type { Collapse } from './collapse-edges.js';
import { type Deviation, type MeasureLimits, measureFrom } from './measure-deviation.js';

/** A surface after collapses. Triangles and vertices have the indices of the original surface. */
export interface CollapsedSurface {
  /** triangle → its three vertices */
  triangles: Uint32Array;
  /** triangle → 1 if it was removed */
  isRemoved: Uint8Array;
}

/** A reduced surface that is measured against the original one. */
export interface MeasuredReduction extends CollapsedSurface {
  collapses: readonly Collapse[];
  /** The triangles that were not removed, with the vertices of the original surface. */
  remaining: MeshGeometry;
  /** The BVH of `remaining`. */
  tree: Bvh;
  /** half-edge of `remaining` → its twin */
  twins: Int32Array;
}

/** An earlier result, which later ones are compared with. */
export interface EarlierMeasurement extends CollapsedSurface {
  /** triangle of the original surface → 1 if a point of it is an outlier */
  hasOutlier: Uint8Array;
  /** triangle of the reduced surface → 1 if a point of it is an outlier, or it intersects another */
  isFaulty: Uint8Array;
  /** The maximum distance of the points that were not outliers, in this measurement and those before. */
  maxWithinLimitMm: number;
  /** The triangle with that point, if it did not change since. */
  farthest?: { surface: 'original' | 'reduced'; triangle: number } | undefined;
}

/** The original surface. */
export interface OriginalSurface {
  mesh: IndexedMesh;
  /** The BVH of `mesh`. */
  tree: Bvh;
  /** half-edge → its twin */
  twins: Int32Array;
}

/** A measured deviation, and what the next measurement needs. */
export interface ReductionMeasurement extends Deviation {
  /** False if no point may be as far as `maxDistanceMm`: that was a place of an earlier result. None is farther. */
  isMaximum: boolean;
  /** index of a remaining triangle → 1 if it differs from those of the earlier result, or is faulty there */
  isSelected: Uint8Array;
  /** index of a remaining triangle → its index in the original surface */
  originalOf: Uint32Array;
  measured: EarlierMeasurement;
}

/**
 * Measures the distance between a surface and its reduction in both directions, as `measureFrom`, but only where the
 * reduction differs from an earlier one that was measured. The first one is compared with the original surface:
 * triangles that both have are not measured.
 *
 * @param work counts the nodes of the BVHs and the triangles that are visited. At its limit, the measured distances are larger
 *   than the real ones: see `DistanceQuery`
 */
export function measureReduction(
  original: OriginalSurface,
  reduction: MeasuredReduction,
  limits: MeasureLimits,
  earlier?: EarlierMeasurement,
  work: WorkCounter = createWorkCounter(),
): ReductionMeasurement {
  const { mesh, tree, twins } = original;
  const { remaining } = reduction;
  const before = earlier ?? startMeasurement(mesh);
  const { maxWithinLimitMm, farthest } = before;
  const measured = startMeasurement(reduction);
  const result: Deviation = { maxDistanceMm: maxWithinLimitMm, maxWithinLimitMm, outliers: [] };
  const isChanged = markChanged(before, reduction);
  const isNear = selectOriginal(original, before, isChanged, limits.limitMm, work);
  if (farthest && (farthest.surface === 'original' ? isNear : isChanged)[farthest.triangle] === 0)
    measured.farthest = farthest;
  // 1. From the original surface.
  const isSelected = isNear.map((near, triangle) => (isSame(mesh.triangles, reduction, triangle) ? 0 : near));
  const toReduced = new DistanceQuery(remaining, reduction.tree, reduction.twins, work);
  measureFrom({ mesh, isSelected, hints: findHints(reduction) }, toReduced, limits, result, (triangle) => {
    measured.hasOutlier[triangle] = 1;
  });
  if (result.farthest !== undefined) measured.farthest = { surface: 'original', triangle: result.farthest };
  // 2. From the reduced one.
  const originalOf = listRemaining(reduction.isRemoved);
  const isReducedSelected = Uint8Array.from(originalOf, (triangle) => isChanged[triangle] | before.isFaulty[triangle]);
  const toOriginal = new DistanceQuery(mesh, tree, twins, work);
  const reduced = { mesh: remaining, isSelected: isReducedSelected, hints: hintsOf(mesh) };
  measureFrom(reduced, toOriginal, limits, result, (index) => {
    measured.isFaulty[originalOf[index]] = 1;
  });
  if (result.farthest !== undefined) measured.farthest = { surface: 'reduced', triangle: originalOf[result.farthest] };
  measured.maxWithinLimitMm = result.maxWithinLimitMm;
  const isMaximum = measured.farthest !== undefined || result.maxWithinLimitMm === 0;
  return { ...result, isMaximum, isSelected: isReducedSelected, originalOf, measured };
}

/** Returns the measurement of a surface before anything is measured. Default of `isRemoved`: none. */
function startMeasurement({
  triangles,
  isRemoved = new Uint8Array(triangles.length / 3),
}: Pick<CollapsedSurface, 'triangles'> & Partial<CollapsedSurface>): EarlierMeasurement {
  const hasOutlier = new Uint8Array(isRemoved.length);
  const isFaulty = new Uint8Array(isRemoved.length);
  return { triangles, isRemoved, hasOutlier, isFaulty, maxWithinLimitMm: 0 };
}

/** Lists the triangles that were not removed. */
function listRemaining(isRemoved: Uint8Array): Uint32Array {
  const remaining = new Uint32Array(isRemoved.length);
  let count = 0;
  for (let triangle = 0; triangle < isRemoved.length; triangle++)
    if (isRemoved[triangle] === 0) remaining[count++] = triangle;
  return remaining.slice(0, count);
}

/** Returns whether a triangle remains with the same vertices. */
function isSame(corners: Uint32Array, { triangles, isRemoved }: CollapsedSurface, triangle: number): boolean {
  const a = triangle * 3;
  return (
    isRemoved[triangle] === 0 &&
    triangles[a] === corners[a] &&
    triangles[a + 1] === corners[a + 1] &&
    triangles[a + 2] === corners[a + 2]
  );
}

/** Marks the triangles that differ between two surfaces: triangle → 1. */
function markChanged(before: CollapsedSurface, after: CollapsedSurface): Uint8Array {
  return before.isRemoved.map((isRemoved, triangle) => {
    if (isRemoved === 1) return 1 - after.isRemoved[triangle];
    return isSame(before.triangles, after, triangle) ? 0 : 1;
  });
}

/**
 * Marks the triangles of the original surface that are near a changed triangle of the earlier surface, or had an
 * outlier: triangle → 1. Marks all at the limit of the work.
 */
function selectOriginal(
  { mesh, tree }: OriginalSurface,
  { triangles, isRemoved, hasOutlier }: EarlierMeasurement,
  isChanged: Uint8Array,
  limitMm: number,
  work: WorkCounter,
): Uint8Array {
  const isSelected = hasOutlier.slice();
  if (triangles === mesh.triangles) {
    for (let triangle = 0; triangle < isChanged.length; triangle++) isSelected[triangle] |= isChanged[triangle];
    return isSelected;
  }
  const { positions } = mesh;
  const min = [0, 0, 0];
  const max = [0, 0, 0];
  for (let triangle = 0; triangle < isChanged.length; triangle++) {
    if (isChanged[triangle] === 0 || isRemoved[triangle] === 1) continue;
    const [a, b, c] = [triangles[triangle * 3] * 3, triangles[triangle * 3 + 1] * 3, triangles[triangle * 3 + 2] * 3];
    for (let k = 0; k < 3; k++) {
      min[k] = Math.min(positions[a + k], positions[b + k], positions[c + k]) - limitMm;
      max[k] = Math.max(positions[a + k], positions[b + k], positions[c + k]) + limitMm;
    }
    const visitCount = forEachTriangleInBox(tree, min, max, (near) => {
      isSelected[near] = 1;
    });
    if (!work.add(visitCount)) return isSelected.fill(1);
  }
  return isSelected;
}

/** Returns a triangle at each vertex of a mesh. */
function hintsOf({ positions, triangles }: MeshGeometry): Int32Array {
  const hints = new Int32Array(positions.length / 3);
  for (let corner = 0; corner < triangles.length; corner++) hints[triangles[corner]] = Math.floor(corner / 3);
  return hints;
}

/**
 * Finds a triangle of the reduced surface for each vertex of the original one: one at the vertex that it collapsed to,
 * if necessary by way of others.
 */
function findHints({ remaining, collapses }: MeasuredReduction): Int32Array {
  const hints = hintsOf(remaining);
  for (let i = collapses.length - 1; i >= 0; i--) hints[collapses[i].vertex] = hints[collapses[i].target];
  return hints;
}
