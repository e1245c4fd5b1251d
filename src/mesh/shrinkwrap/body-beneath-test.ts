import type { MeshGeometry } from '../core/mesh.js';
import { closestPointOnTriangle } from '../geometry/closest-point-on-triangle.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import type { Bvh } from '../spatial/bvh.js';
import { castSegment } from '../spatial/cast-ray.js';
import type { Lattice } from '../spatial/lattice.js';
import { isBehindTriangle } from '../spatial/winding-number.js';

// How far both ends of a segment are put aside, as shares of the step: it would hit edges exactly otherwise. Tried one after the other.
const OFFSETS: readonly (readonly [number, number, number])[] = [
  [0.7e-3, -0.4e-3, 0.9e-3],
  [-0.5e-3, 0.8e-3, 0.3e-3],
  [0.2e-3, 0.6e-3, -0.7e-3],
];
/** A corner nearer than this share of the step lies on the surface. */
const ON_SURFACE = 1e-6;

/**
 * Makes a test whether there is a body of some depth beneath the surface, seen from a corner outside of it whose nearest triangle is known: a
 * segment from the corner on through the nearest point enters a body within `depthMm`, and does not leave it again.
 */
export function createBodyBeneathTest(
  surface: MeshGeometry,
  tree: Bvh,
  { min, stepMm, counts }: Lattice,
  depthMm: number,
): (corner: number, triangle: number) => boolean {
  const { positions, triangles } = surface;
  const [countX, countY] = counts;
  const nearest = new Float64Array(3);
  const from = new Float64Array(3);
  const to = new Float64Array(3);
  return (corner, triangle) => {
    const x = min[0] + (corner % countX) * stepMm;
    const y = min[1] + (Math.floor(corner / countX) % countY) * stepMm;
    const z = min[2] + Math.floor(corner / (countX * countY)) * stepMm;
    const [a, b, c] = [0, 1, 2].map((k) => triangles[triangle * 3 + k] * 3);
    const distance = Math.sqrt(closestPointOnTriangle(positions, a, b, c, x, y, z, nearest));
    // On the surface itself the way down is against its normal.
    const isOn = distance < ON_SURFACE * stepMm;
    const down = isOn
      ? doubleAreaNormal(positions, triangles, triangle).map((part) => -part)
      : [nearest[0] - x, nearest[1] - y, nearest[2] - z];
    const length = Math.hypot(down[0], down[1], down[2]);
    if (length === 0) return false;
    for (const aside of OFFSETS) {
      for (let k = 0; k < 3; k++) {
        const toward = down[k] / length;
        to[k] = nearest[k] + toward * depthMm + aside[k] * stepMm;
        from[k] = (isOn ? nearest[k] - toward * stepMm * 0.01 : [x, y, z][k]) - 0.37 * aside[k] * stepMm;
      }
      const { hits, isUnambiguous } = castSegment(surface, tree, from, to, () => true);
      if (isUnambiguous) return hits.length > 0 && !hits.some((hit) => isBehindTriangle(surface, hit, from));
    }
    return true;
  };
}
