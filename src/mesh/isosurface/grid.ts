/** A grid of cubes. Its corner (i, j, k) is at `min` + `stepMm` × (i, j, k). */
export interface Grid {
  min: readonly [number, number, number];
  /** The side of a cube in mm. */
  stepMm: number;
  /** Number of cubes along each axis. */
  cells: readonly [number, number, number];
}

/** A block of cubes of a grid: `cells` cubes along each axis, starting at `first`. */
export interface Block {
  first: readonly [number, number, number];
  cells: readonly [number, number, number];
}

/** Returns the number of corners of the cubes of a block. */
export function countCorners({ cells: [x, y, z] }: Block): number {
  return (x + 1) * (y + 1) * (z + 1);
}

/**
 * Samples a field, negative inside the body, at all corners of a block and returns 0. The value of the corner (x, y, z)
 * of the block goes to `values[(z * (cells[1] + 1) + y) * (cells[0] + 1) + x]`. If all corners are inside, it may
 * instead return -1 and write nothing; if all are outside, 1. A corner must have the same value in all blocks that
 * share it.
 */
export type BlockSampler = (block: Block, values: Float64Array) => -1 | 0 | 1;

/**
 * Creates a grid that covers a box with a margin of at least `marginMm` on all sides. Its corners are at multiples of
 * `stepMm`.
 */
export function createGridAround(
  box: { min: readonly number[]; max: readonly number[] },
  stepMm: number,
  marginMm: number,
): Grid {
  const first = [0, 1, 2].map((k) => Math.floor((box.min[k] - marginMm) / stepMm));
  const last = [0, 1, 2].map((k) => Math.ceil((box.max[k] + marginMm) / stepMm));
  return {
    min: [first[0] * stepMm, first[1] * stepMm, first[2] * stepMm],
    stepMm,
    cells: [last[0] - first[0], last[1] - first[1], last[2] - first[2]],
  };
}
