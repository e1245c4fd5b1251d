import { MeshError } from '../core/mesh-error.js';

/** Positions rounded to float32, -0 as 0. Throws `TOO_LARGE` for a coordinate beyond float32, naming `what` it does not fit into. */
export function toFloat32Positions(positions: Float64Array, what: string): Float32Array<ArrayBuffer> {
  const rounded = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i++) {
    const value = positions[i] + 0;
    rounded[i] = value;
    if (!Number.isFinite(rounded[i])) {
      throw new MeshError('TOO_LARGE', `The coordinate ${value} does not fit into ${what}`);
    }
  }
  return rounded;
}
