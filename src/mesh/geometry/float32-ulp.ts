import type { Point } from './far-origin.js';

/** The ulp of float64 as a fraction of that of float32. */
const FLOAT64_ULP_FRACTION = 2 ** -29;

/**
 * Computes the float32 ulp of the largest coordinate of a vertex relative to `origin`: the spacing of float32 numbers
 * there, in the unit of the positions. At least the spacing of the positions themselves, which are float64.
 */
export function float32UlpAt(positions: Float64Array, vertex: number, origin: Point): number {
  let max = 1e-30;
  for (let k = 0; k < 3; k++) {
    const value = positions[vertex * 3 + k];
    max = Math.max(max, Math.abs(value - origin[k]), Math.abs(value) * FLOAT64_ULP_FRACTION);
  }
  return 2 ** (Math.floor(Math.log2(max)) - 23);
}

/** Rounds a coordinate to the nearest one whose difference from that of the origin is a float32. */
export function roundToFloat32From(value: number, origin: number): number {
  return origin === 0 ? Math.fround(value) : origin + Math.fround(value - origin);
}
