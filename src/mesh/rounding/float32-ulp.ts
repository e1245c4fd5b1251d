/** What the largest coordinate of a vertex can be told apart by as float32. */
export function float32UlpAt(positions: Float64Array, vertex: number): number {
  const size = Math.max(...[0, 1, 2].map((k) => Math.abs(positions[vertex * 3 + k])));
  return 2 ** (Math.floor(Math.log2(Math.max(size, 1e-30))) - 23);
}
