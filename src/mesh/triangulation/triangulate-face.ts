import { newellNormal } from '../geometry/newell-normal.js';
import { triangulateMinimumArea } from './triangulate-minimum-area.js';
import { triangulateRings } from './triangulate-rings.js';

const MAX_MINIMUM_AREA_RING = 200;

/**
 * Triangles of one face of a file: three corners or more, concave ones too, no matter whether quite flat.
 *
 * @returns three vertex numbers a triangle, in the face's winding
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

/** Whether a fan from the first corner has no triangle that is turned over or without area. */
function isConvex(positions: Float64Array, face: readonly number[]): boolean {
  const normal = newellNormal(positions, face);
  for (let i = 1; i + 1 < face.length; i++) {
    const part = newellNormal(positions, [face[0], face[i], face[i + 1]]);
    if (!(part[0] * normal[0] + part[1] * normal[1] + part[2] * normal[2] > 0)) return false;
  }
  return true;
}
