import { Vector3 } from 'three';
import type { Preview } from '../preview/read-preview.js';

/**
 * The position of models in the scene: their common center is the origin, and their longest side is 1. So tiny and
 * huge models, and those far from the origin, are drawn with the same precision.
 */
export interface Placement {
  centerMm: readonly [number, number, number];
  extentMm: number;
  /** The bounds in the scene. */
  min: Vector3;
  max: Vector3;
  /** The radius of a sphere about the origin that contains the models. */
  radius: number;
}

/** The placement of no models. */
export const EMPTY_PLACEMENT: Placement = {
  ...{ centerMm: [0, 0, 0], extentMm: 1, radius: 1 },
  ...{ min: new Vector3(), max: new Vector3() },
};

/** Computes the placement of models that are shown together. Those without triangles have no position. */
export function computePlacement(models: readonly Preview[]): Placement {
  const previews = models.filter(({ trianglesShown }) => trianglesShown > 0);
  if (previews.length === 0) return EMPTY_PLACEMENT;
  const [x, y, z] = ([0, 1, 2] as const).map((axis) => {
    const ranges = previews.map((preview) => rangeOf(preview, axis));
    return { min: Math.min(...ranges.map(({ min }) => min)), max: Math.max(...ranges.map(({ max }) => max)) };
  }) as [Range, Range, Range];
  const sizes = [x, y, z].map(({ min, max }) => max - min);
  const extentMm = Math.max(...sizes) || 1;
  const max = new Vector3(...sizes.map((size) => size / extentMm / 2));
  const centerMm = [x, y, z].map(({ min, max: end }) => min / 2 + end / 2) as [number, number, number];
  return { centerMm, extentMm, min: max.clone().negate(), max, radius: max.length() || 1 };
}

interface Range {
  min: number;
  max: number;
}

function rangeOf({ originMm, report: { after } }: Preview, axis: 0 | 1 | 2): Range {
  const size = [after.dimensionXMm, after.dimensionYMm, after.dimensionZMm][axis] ?? 0;
  return { min: originMm[axis], max: originMm[axis] + size };
}

/** Converts a point in mm to the scene. */
export function toScene({ centerMm, extentMm }: Placement, point: { x: number; y: number; z: number }): Vector3 {
  const [x, y, z] = centerMm;
  return new Vector3(point.x - x, point.y - y, point.z - z).divideScalar(extentMm);
}
