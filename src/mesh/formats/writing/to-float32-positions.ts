import { MeshError } from '../../core/mesh-error.js';
import { type Point, ZERO } from '../../geometry/far-origin.js';

/**
 * Returns positions relative to an origin, rounded to float32, with -0 as 0. Throws `TOO_LARGE` for a coordinate beyond
 * float32; the message names the `format`.
 */
export function toFloat32Positions(
  positions: Float64Array,
  format: string,
  origin: Point = ZERO,
): Float32Array<ArrayBuffer> {
  const rounded = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i++) {
    const value = positions[i] - origin[i % 3] + 0;
    rounded[i] = value;
    if (!Number.isFinite(rounded[i])) {
      throw new MeshError(
        'TOO_LARGE',
        `Could not export to ${format}: the coordinate ${value} exceeds float32. Use PLY, OBJ, OFF, 3MF or AMF.`,
      );
    }
  }
  return rounded;
}
