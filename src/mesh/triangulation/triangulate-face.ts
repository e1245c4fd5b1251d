import { dot } from '../core/vec3.js';
import { newellNormal } from '../geometry/newell-normal.js';
import { triangulateMinimumArea } from './triangulate-minimum-area.js';
import { triangulateRings } from './triangulate-rings.js';

/** Longer faces are not triangulated by minimum area, which takes cubic time. */
const MAX_MINIMUM_AREA_RING = 200;

/**
 * Triangulates a face of a file. The face may be concave and need not be planar.
 *
 * 1. A convex face becomes a fan.
 * 2. Other faces are triangulated in their plane, by ear clipping.
 * 3. If that fails, the minimum-area triangulation is used, or a fan if the face has more than 200 corners.
 *
 * @returns three vertex indices per triangle, in the winding of the face; none for fewer than three corners
 */
export function triangulateFace(positions: Float64Array, face: readonly number[]): readonly number[] {
  if (face.length < 4) return face.length === 3 ? face : [];
  if (isConvex(positions, face)) return triangulateFan(face);
  const triangles = triangulateRings(positions, [face]);
  if (triangles) return triangles;
  return face.length <= MAX_MINIMUM_AREA_RING ? triangulateMinimumArea(positions, face) : triangulateFan(face);
}

function triangulateFan(face: readonly number[]): number[] {
  const triangles: number[] = [];
  for (let i = 1; i + 1 < face.length; i++) triangles.push(face[0], face[i], face[i + 1]);
  return triangles;
}

/** Returns whether a fan from the first corner has only triangles of positive area, in the direction of the normal. */
function isConvex(positions: Float64Array, face: readonly number[]): boolean {
  const normal = newellNormal(positions, face);
  for (let i = 1; i + 1 < face.length; i++) {
    const part = newellNormal(positions, [face[0], face[i], face[i + 1]]);
    if (!(dot(part, normal) > 0)) return false;
  }
  return true;
}
