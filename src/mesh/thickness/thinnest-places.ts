import type { Box3 } from '../core/mesh.js';
import { diagonalOf } from '../geometry/bounds.js';

/** A point of the surface with the thickness of the wall behind it. */
export interface ThinPlace {
  x: number;
  y: number;
  z: number;
  thicknessMm: number;
}

/** Places that are listed at most. */
const MAX_PLACES = 10;
/** The least distance of places from each other, as a fraction of the diagonal. Bounds the number of cells. */
const SPACING_FRACTION = 0.02;
/** The same as a multiple of the requested thickness: both sides of a wall are one place. */
const SPACING_FACTOR = 2;

/**
 * Finds the thinnest of many points. Keeps one point for each cell of a grid, so that memory does not grow with the
 * number of points.
 */
export class ThinnestPlaces {
  readonly #min: readonly number[];
  readonly #spacingMm: number;
  /** Cells along an axis, at most. */
  readonly #cellCount: number;
  /** cell → its thinnest point */
  readonly #places = new Map<number, ThinPlace>();

  /** @param minThicknessMm walls below it are thin */
  constructor(box: Box3, minThicknessMm: number) {
    const diagonalMm = diagonalOf(box);
    this.#min = box.min;
    this.#spacingMm = Math.max(minThicknessMm * SPACING_FACTOR, diagonalMm * SPACING_FRACTION);
    this.#cellCount = Math.ceil(diagonalMm / this.#spacingMm) + 1;
  }

  /** Adds a point. Of equally thin ones, the first is kept. */
  add(point: Float64Array, thicknessMm: number): void {
    let cell = 0;
    for (let k = 0; k < 3; k++) cell = cell * this.#cellCount + Math.floor((point[k] - this.#min[k]) / this.#spacingMm);
    const known = this.#places.get(cell);
    if (known && known.thicknessMm <= thicknessMm) return;
    this.#places.set(cell, { x: point[0], y: point[1], z: point[2], thicknessMm });
  }

  /**
   * Returns up to ten places, thinnest first. Each is the thinnest point that is at least twice the requested thickness,
   * and 1/50 of the size of the model, away from those before it.
   */
  list(): ThinPlace[] {
    const sorted = [...this.#places.values()].sort((a, b) => a.thicknessMm - b.thicknessMm);
    const listed: ThinPlace[] = [];
    for (const place of sorted) {
      if (listed.length === MAX_PLACES) break;
      const isApart = listed.every(
        (other) => Math.hypot(place.x - other.x, place.y - other.y, place.z - other.z) >= this.#spacingMm,
      );
      if (isApart) listed.push(place);
    }
    return listed;
  }
}
