import type { Grid } from '../isosurface/grid.js';

/** The corners of a whole grid, numbered with x running fastest, then y, then z. */
export interface Lattice extends Grid {
  /** Corners along each axis. */
  counts: readonly [number, number, number];
  /** Corners in all. */
  size: number;
}

/** The lattice of a grid's corners. */
export function createLattice(grid: Grid): Lattice {
  const [x, y, z] = grid.cells;
  return { ...grid, counts: [x + 1, y + 1, z + 1], size: (x + 1) * (y + 1) * (z + 1) };
}
