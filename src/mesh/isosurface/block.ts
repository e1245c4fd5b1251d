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
