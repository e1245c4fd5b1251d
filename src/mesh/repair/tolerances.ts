import { listPerturbations } from '../arrangement/resolve-intersections.js';

/** Surfaces closer than this fraction of the diagonal are near. */
const NEAR_FRACTION = 1e-4;

/** The tolerances of the repair steps. All are fractions of the diagonal of the bounds. */
export interface Tolerances {
  /** Distances within which `stitch` merges boundary vertices, ascending: a crack is closed by the smallest that suffices. */
  stitchMm: readonly number[];
  /** The largest of `stitchMm`. An open surface with all corners closer than this to a plane encloses no volume. */
  nearMm: number;
  /** Distances within which `gaps` closes the gaps between faces, ascending. */
  gapMm: readonly number[];
  /** A vertex closer to an edge lies on it. */
  onEdgeMm: number;
  /**
   * Corners closer to a plane lie in it. That covers oblique planes in binary STL, whose float32 has a relative
   * precision of 6e-8, and in files with six significant digits.
   */
  inPlaneMm: number;
  /** Faces of two shells that are closer touch, even if they do not intersect: an ulp of float32 may be between them. */
  touchMm: number;
  /** A mesh whose corners are all closer to a plane is a sheet: float32 cannot represent the difference. */
  sheetMm: number;
  /** Perturbations of intersecting vertices, one per attempt of `intersections`. */
  perturbationsMm: readonly number[];
}

/** Derives the tolerances of a repair from the diagonal of the bounds. */
export function createTolerances(diagonalMm: number): Tolerances {
  return {
    stitchMm: [1e-7, 1e-6, 1e-5, NEAR_FRACTION].map((fraction) => fraction * diagonalMm),
    nearMm: NEAR_FRACTION * diagonalMm,
    gapMm: [1, 2, 4, 8, 16].map((factor) => factor * NEAR_FRACTION * diagonalMm),
    onEdgeMm: 2e-6 * diagonalMm,
    inPlaneMm: 1e-6 * diagonalMm,
    touchMm: 2 ** -23 * diagonalMm,
    sheetMm: 2 ** -24 * diagonalMm,
    perturbationsMm: listPerturbations(diagonalMm),
  };
}
