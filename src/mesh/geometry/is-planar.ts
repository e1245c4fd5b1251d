import type { MeshGeometry } from '../core/mesh.js';
import { doubleAreaNormal } from './double-area-normal.js';

/**
 * Returns whether all corners of a mesh lie within `toleranceMm` of the plane of its largest triangle. True for a mesh
 * of zero area.
 */
export function isPlanar({ positions, triangles }: MeshGeometry, toleranceMm: number): boolean {
  let largestNormal: readonly number[] = [0, 0, 0];
  let maxDoubleArea = 0;
  let corner = 0;
  for (let triangle = 0; triangle * 3 < triangles.length; triangle++) {
    const normal = doubleAreaNormal(positions, triangles, triangle);
    const doubleArea = Math.hypot(...normal);
    if (doubleArea <= maxDoubleArea) continue;
    largestNormal = normal;
    maxDoubleArea = doubleArea;
    corner = triangles[triangle * 3] * 3;
  }
  if (maxDoubleArea === 0) return true;
  const [x, y, z] = largestNormal.map((part) => part / maxDoubleArea);
  for (let i = 0; i < triangles.length; i++) {
    const offset = triangles[i] * 3;
    const [dx, dy, dz] = [0, 1, 2].map((k) => positions[offset + k] - positions[corner + k]);
    if (Math.abs(dx * x + dy * y + dz * z) > toleranceMm) return false;
  }
  return true;
}
