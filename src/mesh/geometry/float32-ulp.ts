/**
 * Computes the float32 ulp of the largest coordinate of a vertex: the spacing of float32 numbers there, in the unit of
 * the positions.
 */
export function float32UlpAt(positions: Float64Array, vertex: number): number {
  const maxCoordinate = Math.max(...[0, 1, 2].map((k) => Math.abs(positions[vertex * 3 + k])));
  return 2 ** (Math.floor(Math.log2(Math.max(maxCoordinate, 1e-30))) - 23);
}
