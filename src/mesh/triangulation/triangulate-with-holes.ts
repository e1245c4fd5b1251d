import { dot } from '../core/vec3.js';
import { newellNormal } from '../geometry/newell-normal.js';
import { triangulateRings } from './triangulate-rings.js';

/**
 * Triangulates a polygon with holes of any winding, in the plane of its outer ring.
 *
 * @returns three vertex indices per triangle, in the winding of the outer ring; `undefined` if the rings cross in the
 * plane, or the outer one has zero area
 */
export function triangulateWithHoles(
  positions: Float64Array,
  outer: readonly number[],
  holes: readonly (readonly number[])[],
): number[] | undefined {
  const normal = newellNormal(positions, outer);
  const oriented = holes.map((hole) => (dot(newellNormal(positions, hole), normal) > 0 ? hole.toReversed() : hole));
  return triangulateRings(positions, [outer, ...oriented]);
}
