import type { Block, Grid, SampleBlock } from './grid.js';

/**
 * Samples a field that changes by at most one millimetre a millimetre, as a distance does: where it is farther from zero in the middle of a
 * block than the block's corners are from there, it need not be looked at again.
 */
export function createLipschitzSampler(grid: Grid, fieldAt: (x: number, y: number, z: number) => number): SampleBlock {
  const { min, stepMm } = grid;
  return ({ first, cells }: Block, values: Float64Array) => {
    const middle = [0, 1, 2].map((k) => min[k] + (first[k] + cells[k] / 2) * stepMm);
    const reachMm = (Math.hypot(...cells) / 2) * stepMm;
    const atMiddle = fieldAt(middle[0], middle[1], middle[2]);
    if (Math.abs(atMiddle) > reachMm * (1 + 1e-9)) return atMiddle < 0 ? -1 : 1;
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
