import type { MeshGeometry } from '../core/mesh.js';
import type { WorkCounter } from '../core/work-counter.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { closestPointOnTriangle } from '../geometry/point-triangle-distance.js';
import type { Bvh } from '../spatial/bvh.js';
import { castSegment } from '../spatial/cast-ray.js';
import type { Lattice } from '../spatial/lattice.js';
import { isBehindTriangle } from '../spatial/winding-number.js';

/**
 * Offsets of the ends of a segment, as fractions of the step, so that it does not hit edges exactly. Tried in order.
 */
const OFFSETS: readonly (readonly [number, number, number])[] = [
  [0.7e-3, -0.4e-3, 0.9e-3],
  [-0.5e-3, 0.8e-3, 0.3e-3],
  [0.2e-3, 0.6e-3, -0.7e-3],
];
/** A corner closer than this fraction of the step lies on the surface. */
const ON_SURFACE = 1e-6;

/**
 * Creates a test whether a body of at least `depthMm` is beneath the surface, seen from a lattice corner outside: the
 * segment from the corner through the nearest point of the surface enters the body and does not leave it within
 * `depthMm`. The test takes the corner and its nearest triangle, and returns true if all segments are ambiguous. At the
 * limit of the work, it returns false: the surface is then thickened.
 */
export function createBodyBeneathTest(
  surface: MeshGeometry,
  tree: Bvh,
  { min, stepMm, counts }: Lattice,
  depthMm: number,
  work: WorkCounter,
): (corner: number, triangle: number) => boolean {
  const { positions, triangles } = surface;
  const [countX, countY] = counts;
  const nearest = new Float64Array(3);
  const from = new Float64Array(3);
  const to = new Float64Array(3);
  const start = new Float64Array(3);
  const inward = new Float64Array(3);
  return (corner, triangle) => {
    if (work.isExceeded()) return false;
    const x = min[0] + (corner % countX) * stepMm;
    const y = min[1] + (Math.floor(corner / countX) % countY) * stepMm;
    const z = min[2] + Math.floor(corner / (countX * countY)) * stepMm;
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    const distance = Math.sqrt(closestPointOnTriangle(positions, a, b, c, x, y, z, nearest));
    // For a corner on the surface, the direction into the body is opposite to the normal.
    const isOnSurface = distance < ON_SURFACE * stepMm;
    inward[0] = nearest[0] - x;
    inward[1] = nearest[1] - y;
    inward[2] = nearest[2] - z;
    if (isOnSurface) {
      const normal = doubleAreaNormal(positions, triangles, triangle);
      for (let k = 0; k < 3; k++) inward[k] = -normal[k];
    }
    const length = Math.hypot(inward[0], inward[1], inward[2]);
    start[0] = x;
    start[1] = y;
    start[2] = z;
    if (length === 0) return false;
    for (const offset of OFFSETS) {
      for (let k = 0; k < 3; k++) {
        const inwardUnit = inward[k] / length;
        to[k] = nearest[k] + inwardUnit * depthMm + offset[k] * stepMm;
        from[k] = (isOnSurface ? nearest[k] - inwardUnit * stepMm * 0.01 : start[k]) - 0.37 * offset[k] * stepMm;
      }
      const { hits, isUnambiguous } = castSegment(surface, tree, from, to, () => true, work);
      if (isUnambiguous) return hits.length > 0 && !hits.some((hit) => isBehindTriangle(surface, hit, from));
    }
    return true;
  };
}
