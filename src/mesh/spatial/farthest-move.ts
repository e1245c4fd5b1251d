/** The greatest distance between a vertex of one and the same vertex of the other. */
export function farthestMove(from: Float64Array, to: Float64Array): number {
  let most = 0;
  for (let i = 0; i < from.length; i += 3) {
    const [x, y, z] = [to[i] - from[i], to[i + 1] - from[i + 1], to[i + 2] - from[i + 2]];
    most = Math.max(most, x * x + y * y + z * z);
  }
  return Math.sqrt(most);
}
