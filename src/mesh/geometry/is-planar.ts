import type { MeshGeometry } from '../core/mesh.js';
import { doubleAreaNormal } from './double-area-normal.js';

/** Whether all corners of a mesh lie within a distance of the plane of its largest triangle. True of a mesh without any area. */
export function isPlanar({ positions, triangles }: MeshGeometry, withinMm: number): boolean {
  let largestNormal: readonly number[] = [0, 0, 0];
  let length = 0;
  let corner = 0;
  for (let triangle = 0; triangle * 3 < triangles.length; triangle++) {
    const normal = doubleAreaNormal(positions, triangles, triangle);
    const size = Math.hypot(...normal);
    if (size <= length) continue;
    largestNormal = normal;
    length = size;
    corner = triangles[triangle * 3] * 3;
  }
  if (length === 0) return true;
  const [x, y, z] = largestNormal.map((part) => part / length);
  for (let i = 0; i < triangles.length; i++) {
    const offset = triangles[i] * 3;
    const [dx, dy, dz] = [0, 1, 2].map((k) => positions[offset + k] - positions[corner + k]);
    if (Math.abs(dx * x + dy * y + dz * z) > withinMm) return false;
  }
  return true;
}
