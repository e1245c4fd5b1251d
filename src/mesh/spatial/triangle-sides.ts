import type { MeshGeometry } from '../core/mesh.js';
import { computeBounds, diagonalOf } from '../geometry/bounds.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';

/** The distance of the points from the triangle, as a fraction of the coordinates: far above rounding errors. */
const DISTANCE_FRACTION = 1e-9;

/** Two points just beside the centroid of a triangle. */
export interface TriangleSides {
  /** The unit normal. */
  normal: number[];
  front: number[];
  back: number[];
}

/**
 * Creates a function that returns the sides of a triangle of a mesh, or `undefined` if it has no area. Unlike the
 * centroid, the points are not on another triangle in the same plane.
 */
export function createSidesQuery({
  positions,
  triangles,
}: MeshGeometry): (triangle: number) => TriangleSides | undefined {
  const box = computeBounds(positions);
  const distanceMm = DISTANCE_FRACTION * (diagonalOf(box) + Math.max(...[...box.min, ...box.max].map(Math.abs)));
  return (triangle) => {
    const doubleArea = doubleAreaNormal(positions, triangles, triangle);
    const length = Math.hypot(...doubleArea);
    if (!(length > 0)) return undefined;
    const normal = doubleArea.map((part) => part / length);
    const pointAt = (offsetMm: number) =>
      normal.map((part, k) => {
        const corner = (i: number) => positions[triangles[triangle * 3 + i] * 3 + k];
        return (corner(0) + corner(1) + corner(2)) / 3 + part * offsetMm;
      });
    return { normal, front: pointAt(distanceMm), back: pointAt(-distanceMm) };
  };
}
