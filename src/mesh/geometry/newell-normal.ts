/**
 * Computes the normal of a ring of vertices by Newell's method (Sutherland et al. 1974). Its length is twice the area
 * of the ring. Valid for concave and nearly planar rings. Zero for a ring of zero area.
 */
export function newellNormal(positions: Float64Array, ring: readonly number[]): [number, number, number] {
  const origin = ring[0] * 3;
  let nx = 0;
  let ny = 0;
  let nz = 0;
  for (let i = 1; i + 1 < ring.length; i++) {
    const a = ring[i] * 3;
    const b = ring[i + 1] * 3;
    const ax = positions[a] - positions[origin];
    const ay = positions[a + 1] - positions[origin + 1];
    const az = positions[a + 2] - positions[origin + 2];
    const bx = positions[b] - positions[origin];
    const by = positions[b + 1] - positions[origin + 1];
    const bz = positions[b + 2] - positions[origin + 2];
    nx += ay * bz - az * by;
    ny += az * bx - ax * bz;
    nz += ax * by - ay * bx;
  }
  return [nx, ny, nz];
}
