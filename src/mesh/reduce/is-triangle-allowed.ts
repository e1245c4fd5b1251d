/** Minimum ratio of height to longest side, for the triangles that a collapse changes. */
const MIN_HEIGHT_RATIO = 1e-5;

/**
 * Returns whether a triangle is neither too thin nor rotated beyond a limit. False for triangles that were degenerate in
 * the original mesh.
 *
 * @param p positions
 * @param a offset of the first corner's x in `p`; likewise `b` and `c`
 * @param normals original unit normals; zero for degenerate triangles
 * @param normal offset of the triangle's original normal in `normals`
 * @param minCosine minimum cosine of the angle by which the triangle rotates
 */
export function isTriangleAllowed(
  p: Float64Array,
  a: number,
  b: number,
  c: number,
  normals: Float32Array,
  normal: number,
  minCosine: number,
): boolean {
  const ux = p[b] - p[a];
  const uy = p[b + 1] - p[a + 1];
  const uz = p[b + 2] - p[a + 2];
  const vx = p[c] - p[a];
  const vy = p[c + 1] - p[a + 1];
  const vz = p[c + 2] - p[a + 2];
  const wx = vx - ux;
  const wy = vy - uy;
  const wz = vz - uz;
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const doubleArea = Math.sqrt(nx * nx + ny * ny + nz * nz);
  const longestSquared = Math.max(
    ux * ux + uy * uy + uz * uz,
    vx * vx + vy * vy + vz * vz,
    wx * wx + wy * wy + wz * wz,
  );
  if (doubleArea <= MIN_HEIGHT_RATIO * longestSquared) return false;
  return nx * normals[normal] + ny * normals[normal + 1] + nz * normals[normal + 2] >= minCosine * doubleArea;
}
