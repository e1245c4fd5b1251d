import type { MeshGeometry } from '../core/mesh.js';

/** Computes the length of the longest side of a triangle, in the unit of the positions. */
export function longestEdgeLength({ positions, triangles }: MeshGeometry, triangle: number): number {
  let maxSquared = 0;
  for (let k = 0; k < 3; k++) {
    const a = triangles[triangle * 3 + k] * 3;
    const b = triangles[triangle * 3 + ((k + 1) % 3)] * 3;
    const dx = positions[a] - positions[b];
    const dy = positions[a + 1] - positions[b + 1];
    const dz = positions[a + 2] - positions[b + 2];
    maxSquared = Math.max(maxSquared, dx * dx + dy * dy + dz * dz);
  }
  return Math.sqrt(maxSquared);
}

/**
 * Writes x, y, z of a point of a triangle to `target`, starting at `offset`.
 *
 * @param s barycentric weight of the second corner
 * @param t barycentric weight of the third corner
 */
export function writeBarycentricPoint(
  { positions, triangles }: MeshGeometry,
  triangle: number,
  s: number,
  t: number,
  target: Float64Array,
  offset = 0,
): void {
  const a = triangles[triangle * 3] * 3;
  const b = triangles[triangle * 3 + 1] * 3;
  const c = triangles[triangle * 3 + 2] * 3;
  for (let k = 0; k < 3; k++) {
    target[offset + k] = positions[a + k] * (1 - s - t) + positions[b + k] * s + positions[c + k] * t;
  }
}

/**
 * Calls `visit` with points spread evenly over a triangle, as weights for `writeBarycentricPoint`.
 *
 * Dividing each side into n = `divisions` parts yields n² congruent triangles. The points are the centroids of the
 * n (n + 1) / 2 of them that have the same orientation as the triangle. For n = 1, this is its own centroid.
 */
export function forEachSamplePoint(divisions: number, visit: (s: number, t: number) => void): void {
  for (let i = 0; i < divisions; i++) {
    for (let j = 0; j < divisions - i; j++) visit((i + 1 / 3) / divisions, (j + 1 / 3) / divisions);
  }
}
