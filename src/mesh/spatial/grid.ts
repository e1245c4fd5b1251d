/** A grid of cubes. Its corner (i, j, k) is at `min` + `stepMm` × (i, j, k). */
export interface Grid {
  min: readonly [number, number, number];
  /** The side of a cube in mm. */
  stepMm: number;
  /** Number of cubes along each axis. */
  cells: readonly [number, number, number];
}

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
