/** The greatest distance between a vertex of one and what it became in the other: the vertex of the same number, unless the caller knows better. */
export function farthestMove(
  from: Float64Array,
  to: Float64Array,
  becameOf: (vertex: number) => number = (vertex) => vertex,
): number {
  let most = 0;
  for (let i = 0; i < from.length; i += 3) {
    const at = becameOf(i / 3) * 3;
    const [x, y, z] = [to[at] - from[i], to[at + 1] - from[i + 1], to[at + 2] - from[i + 2]];
    most = Math.max(most, x * x + y * y + z * z);
  }
  return Math.sqrt(most);
}
