/** Computes the normal of a triangle by the right-hand rule. Its length is twice the area of the triangle. */
export function doubleAreaNormal(
  positions: Float64Array,
  triangles: Uint32Array,
  triangle: number,
): [number, number, number] {
  const a = triangles[triangle * 3] * 3;
  const b = triangles[triangle * 3 + 1] * 3;
  const c = triangles[triangle * 3 + 2] * 3;
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
}
