/** A lattice of cubes in space: its corner (i, j, k) lies at `min` + `stepMm` × (i, j, k). */
export interface Grid {
  min: readonly [number, number, number];
  /** The side of a cube in mm. */
  stepMm: number;
  /** How many cubes there are along each axis. */
  cells: readonly [number, number, number];
}

/** A box of cubes: those from `first` on, `cells` of them along each axis. */
export interface Block {
  first: readonly [number, number, number];
  cells: readonly [number, number, number];
}

/** How many corners the cubes of a block have. */
export const countCorners = ({ cells: [x, y, z] }: Block): number => (x + 1) * (y + 1) * (z + 1);

/**
 * Writes a field at all corners of a block, below zero inside the body, and answers 0: that of the corner (x, y, z) of the block goes to
 * `values[(z * (cells[1] + 1) + y) * (cells[0] + 1) + x]`. Where all corners are inside it may answer -1, where all are outside 1, and write
 * nothing. A corner must get the same value whichever block it is asked for with.
 */
export type SampleBlock = (block: Block, values: Float64Array) => -1 | 0 | 1;

/** The grid round a box, wider by `marginMm` on all sides, of cubes of this size: the first corner of one lies at a multiple of it. */
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
