import type { Grid } from '../spatial/grid.js';
import type { Block, BlockSampler } from './block.js';

/** Enlarges the radius of a block, to allow for rounding errors. */
const RADIUS_FACTOR = 1 + 1e-9;

/**
 * Creates a sampler for a field with the Lipschitz constant 1, for example a distance: it changes by at most 1 mm per
 * mm. If the absolute value at the center of a block exceeds the distance from the center to the corners, the field has
 * no zero in the block. The corners are not sampled then.
 *
 * @param fieldAt returns the value of the field in mm at a point in mm; negative inside
 */
export function createLipschitzSampler(grid: Grid, fieldAt: (x: number, y: number, z: number) => number): BlockSampler {
  const { min, stepMm } = grid;
  return ({ first, cells }: Block, values: Float64Array) => {
    const center = [0, 1, 2].map((k) => min[k] + (first[k] + cells[k] / 2) * stepMm);
    const radiusMm = (Math.hypot(...cells) / 2) * stepMm;
    const centerValueMm = fieldAt(center[0], center[1], center[2]);
    if (Math.abs(centerValueMm) > radiusMm * RADIUS_FACTOR) return centerValueMm < 0 ? -1 : 1;
    for (let z = 0, index = 0; z <= cells[2]; z++) {
      for (let y = 0; y <= cells[1]; y++) {
        for (let x = 0; x <= cells[0]; x++, index++) {
          values[index] = fieldAt(
            min[0] + (first[0] + x) * stepMm,
            min[1] + (first[1] + y) * stepMm,
            min[2] + (first[2] + z) * stepMm,
          );
        }
      }
    }
    return 0;
  };
}
