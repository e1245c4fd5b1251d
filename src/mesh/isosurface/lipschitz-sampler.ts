import type { Block, Grid, SampleBlock } from './grid.js';

/**
 * Creates a sampler for a 1-Lipschitz field such as a distance, which changes by at most 1 mm per mm. If the absolute
 * value at the center of a block exceeds the distance to its corners, the field has no zero in the block and is not
 * sampled there.
 */
export function createLipschitzSampler(grid: Grid, fieldAt: (x: number, y: number, z: number) => number): SampleBlock {
  const { min, stepMm } = grid;
  return ({ first, cells }: Block, values: Float64Array) => {
    const center = [0, 1, 2].map((k) => min[k] + (first[k] + cells[k] / 2) * stepMm);
    const radiusMm = (Math.hypot(...cells) / 2) * stepMm;
    const atCenter = fieldAt(center[0], center[1], center[2]);
    if (Math.abs(atCenter) > radiusMm * (1 + 1e-9)) return atCenter < 0 ? -1 : 1;
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
