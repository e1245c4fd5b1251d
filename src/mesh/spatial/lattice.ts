import type { Grid } from './grid.js';

/** The points at the cell corners of a grid, indexed with x fastest, then y, then z. */
export interface Lattice extends Grid {
  /** axis → number of points */
  counts: readonly [number, number, number];
  /** Number of all points. */
  size: number;
}

/** Creates the lattice of a grid's cell corners. */
export function createLattice(grid: Grid): Lattice {
  const [x, y, z] = grid.cells;
  return { ...grid, counts: [x + 1, y + 1, z + 1], size: (x + 1) * (y + 1) * (z + 1) };
}
