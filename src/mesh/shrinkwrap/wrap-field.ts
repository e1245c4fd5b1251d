import type { WorkCounter } from '../core/work-counter.js';
import { type SparseField, storeNearValues } from '../isosurface/sparse-field.js';
import type { Bvh } from '../spatial/bvh.js';
import type { Lattice } from '../spatial/lattice.js';
import { computeLatticeWindings } from '../spatial/lattice-windings.js';
import { createBodyBeneathTest } from './body-beneath-test.js';
import type { WrapSource } from './limit-source.js';
import { computeNarrowBand } from './narrow-band.js';

// All lengths are in steps of the lattice.

/**
 * Half the thickness of a sheet, in cubes: more than half the diagonal of a cube, so that each cube in the sheet has a
 * corner inside.
 */
export const SHEET_HALF_THICKNESS = 0.9;
/** A wall of at least this thickness contains corners in any orientation and is not thickened. */
const THICK_WALL = 1.8;
/** Distances are computed up to this. */
export const BAND_WIDTH = 2;

/**
 * Creates the field whose isosurface is the wrap: the distance from a surface, negative inside. The side is the winding
 * number (Jacobson et al. 2013). Near sheets and walls thinner than `THICK_WALL`, the isosurface is offset by
 * `SHEET_HALF_THICKNESS`, so that they become bodies.
 *
 * @param tree the BVH of the distinct triangles
 * @param isClosed whether the surface bounds a body; if not, all of it is a sheet
 * @param work counts the search for thin walls. At its limit, all other walls are offset too.
 */
export function createWrapField(
  { surface, distinct }: WrapSource,
  tree: Bvh,
  lattice: Lattice,
  isClosed: boolean,
  work: WorkCounter,
): SparseField {
  const { stepMm, size } = lattice;
  const { distances, nearest } = computeNarrowBand(distinct, lattice, BAND_WIDTH * stepMm);
  const windings = isClosed ? computeLatticeWindings(surface, lattice) : new Int16Array(size);
  const isBodyBeneath = createBodyBeneathTest(distinct, tree, lattice, THICK_WALL * stepMm, work);
  const isThin = new Uint8Array(size); // corner → 1 if it is outside and near a thin part
  for (let corner = 0; corner < size; corner++) {
    if (windings[corner] !== 0 || nearest[corner] < 0) continue;
    isThin[corner] = isClosed && isBodyBeneath(corner, nearest[corner]) ? 0 : 1;
  }
  const isNearThin = dilate(isThin, lattice);
  for (let corner = 0; corner < size; corner++) {
    if (windings[corner] !== 0) distances[corner] = -distances[corner];
    else if (isNearThin[corner] === 1) distances[corner] -= SHEET_HALF_THICKNESS * stepMm;
  }
  // At both ends of an edge that the isosurface crosses, the distance is below the width of the band.
  return storeNearValues(lattice, distances, BAND_WIDTH * stepMm);
}

/**
 * Marks the neighbors of marked corners too (dilation): where a thin wall meets a thick body, corners closer to the
 * body still belong to the wall. Distant corners stay outside in any case.
 */
function dilate(marks: Uint8Array, { counts: [countX, countY] }: Lattice): Uint8Array {
  let marked = marks;
  for (const step of [1, countX, countX * countY]) {
    const before = marked;
    marked = before.slice();
    for (let i = step; i < marked.length; i++) {
      if (before[i] === 1) marked[i - step] = 1;
      if (before[i - step] === 1) marked[i] = 1;
    }
  }
  return marked;
}
