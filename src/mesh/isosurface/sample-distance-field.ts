import type { Lattice } from '../spatial/lattice.js';
import { SparseField } from './sparse-field.js';

/** Corners along each side of a stored block of the field. */
const BLOCK = 8;
/** Enlarges the radius of a block, to allow for rounding errors. */
const RADIUS_FACTOR = 1 + 1e-6;

/**
 * Samples a field with the Lipschitz constant 1, for example a distance: it changes by at most 1 mm per mm. Values are
 * exact at the ends of each edge that the surface crosses. Elsewhere only the sign is right: a block of corners takes
 * the value at its center if that is larger than the distance to the farthest corner and an edge beyond it. Other blocks
 * are divided into eight.
 *
 * @param fieldAt returns the value of the field in mm at a point in mm; negative inside
 * @param onProgress may throw to abort
 */
export function sampleDistanceField(
  lattice: Lattice,
  fieldAt: (x: number, y: number, z: number) => number,
  onProgress?: (progress: number) => void,
): SparseField {
  const { min, stepMm, counts } = lattice;
  const field = new SparseField(lattice);
  let size = BLOCK;
  while (size < Math.max(...counts)) size *= 2;
  const sampledSize = size;
  let sampledCount = 0; // of the eighths of the lattice

  const fill = (x: number, y: number, z: number, size: number, value: number): void => {
    const [endX, endY, endZ] = [x, y, z].map((first, k) => Math.min(first + size, counts[k]));
    if (size >= BLOCK) {
      if (value >= 0) return;
      for (let k = z; k < endZ; k += BLOCK)
        for (let j = y; j < endY; j += BLOCK) for (let i = x; i < endX; i += BLOCK) field.setInside(i, j, k);
      return;
    }
    for (let k = z; k < endZ; k++)
      for (let j = y; j < endY; j++) for (let i = x; i < endX; i++) field.set(i, j, k, value);
  };

  const sample = (x: number, y: number, z: number, size: number): void => {
    if (x >= counts[0] || y >= counts[1] || z >= counts[2]) return;
    const half = (size - 1) / 2;
    const value = fieldAt(min[0] + (x + half) * stepMm, min[1] + (y + half) * stepMm, min[2] + (z + half) * stepMm);
    if (size === 1) {
      field.set(x, y, z, value);
      return;
    }
    if (Math.abs(value) > (half * Math.sqrt(3) + 1) * stepMm * RADIUS_FACTOR) {
      fill(x, y, z, size, value);
      return;
    }
    const next = size / 2;
    for (let part = 0; part < 8; part++) {
      sample(x + (part & 1) * next, y + ((part >> 1) & 1) * next, z + (part >> 2) * next, next);
      if (size === sampledSize) onProgress?.(++sampledCount / 8);
    }
  };
  sample(0, 0, 0, size);
  return field;
}
