import type { Box3 } from '../core/mesh.js';
import { maxExtentOf } from './bounds.js';

/** The x, y, z of a point, in mm. */
export type Point = readonly [x: number, y: number, z: number];

/** The point 0, 0, 0. */
export const ZERO: Point = [0, 0, 0];

/** Coordinates are far larger than the model if its center is farther from zero than this many extents. */
const MIN_DISTANCE_FACTOR = 16;

/**
 * Returns an origin in a box whose coordinates are far larger than its extent, so that coordinates relative to it are
 * small. `undefined` if those of no axis are; the origin is 0 along each axis where they are not.
 *
 * It is a multiple of a power of two of about the extent: float32 represents it unless coordinates are larger than the
 * extent by 2^24. The difference of a coordinate in the box and the origin is exact (lemma of Sterbenz 1974).
 */
export function findFarOrigin(box: Box3): Point | undefined {
  const extentMm = maxExtentOf(box);
  if (extentMm === 0) return undefined;
  const stepMm = 2 ** Math.floor(Math.log2(extentMm));
  const originOf = (k: 0 | 1 | 2): number => {
    const centerMm = box.min[k] + (box.max[k] - box.min[k]) / 2;
    return Math.abs(centerMm) > extentMm * MIN_DISTANCE_FACTOR ? Math.round(centerMm / stepMm) * stepMm : 0;
  };
  const origin: Point = [originOf(0), originOf(1), originOf(2)];
  return origin.some((value) => value !== 0) ? origin : undefined;
}
