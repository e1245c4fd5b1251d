import type { MeshGeometry } from '../core/mesh.js';
import type { WorkCounter } from '../core/work-counter.js';
import { forEachTriangleInBox } from '../spatial/bvh.js';
import type { Outlier } from './measure-deviation.js';
import type { MeasuredReduction, OriginalSurface } from './measure-reduction.js';

/** From this attempt on, all vertices near an intersection are fixed. Then few attempts suffice. */
const FIRST_BOX_ATTEMPT = 5;

/** What is wrong with a reduction. */
export interface ReductionFaults {
  reduction: Pick<MeasuredReduction, 'triangles' | 'remaining'>;
  /** index of a remaining triangle → its index in the original surface */
  originalOf: Uint32Array;
  outliers: readonly Outlier[];
  /** The indices of remaining triangles that intersect others. */
  intersecting: readonly number[];
  /** The number of attempts before. */
  attempt: number;
  /** Counts the nodes of the BVH and the triangles that are visited. At its limit, no further vertices are fixed. */
  work: WorkCounter;
}

/**
 * Fixes vertices of the original surface, so that another attempt does not remove them: those near outliers, and those that
 * moved corners of intersecting triangles. These are then as in the original surface, where most do not intersect. Returns
 * whether there were outliers or intersections.
 *
 * @param isRemovable vertex → 1 if it may be removed; set to 0
 */
export function fixVertices(
  { mesh, tree }: OriginalSurface,
  isRemovable: Uint8Array,
  { reduction, originalOf, outliers, intersecting, attempt, work }: ReductionFaults,
): boolean {
  const boxes = outliers.map((outlier) => boxAroundOutlier(outlier, attempt));
  let hasMovedCorner = false;
  for (const index of attempt < FIRST_BOX_ATTEMPT ? intersecting : []) {
    for (let corner = originalOf[index] * 3; corner < originalOf[index] * 3 + 3; corner++) {
      if (reduction.triangles[corner] === mesh.triangles[corner]) continue;
      isRemovable[mesh.triangles[corner]] = 0;
      hasMovedCorner = true;
    }
  }
  if (!hasMovedCorner) boxes.push(...intersecting.map((index) => boxOfTriangle(reduction.remaining, index)));
  for (const { min, max } of boxes) {
    const visitCount = forEachTriangleInBox(tree, min, max, (triangle) => {
      for (let k = 0; k < 3; k++) isRemovable[mesh.triangles[triangle * 3 + k]] = 0;
    });
    if (!work.add(visitCount)) break;
  }
  return hasMovedCorner || boxes.length > 0;
}

/**
 * Returns a box around an outlier, which contains the nearest triangles of the mesh. It is larger in later attempts.
 */
function boxAroundOutlier({ x, y, z, distanceMm }: Outlier, attempt: number) {
  const halfSize = distanceMm * (1 + attempt);
  return { min: [x - halfSize, y - halfSize, z - halfSize], max: [x + halfSize, y + halfSize, z + halfSize] };
}

/** Returns the bounds of a triangle. */
function boxOfTriangle({ positions, triangles }: MeshGeometry, triangle: number) {
  const corners = [0, 1, 2].map((k) => triangles[triangle * 3 + k] * 3);
  const coordinatesAlong = (axis: number): number[] => corners.map((corner) => positions[corner + axis]);
  return {
    min: [0, 1, 2].map((axis) => Math.min(...coordinatesAlong(axis))),
    max: [0, 1, 2].map((axis) => Math.max(...coordinatesAlong(axis))),
  };
}
