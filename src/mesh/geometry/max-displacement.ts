/** The greatest distance between a vertex of one and what it became in the other: the vertex of the same number, unless the caller knows better. */
export function maxDisplacement(
  from: Float64Array,
  to: Float64Array,
  mapVertex: (vertex: number) => number = (vertex) => vertex,
): number {
  let max = 0;
  for (let i = 0; i < from.length; i += 3) {
    const offset = mapVertex(i / 3) * 3;
    const [x, y, z] = [to[offset] - from[i], to[offset + 1] - from[i + 1], to[offset + 2] - from[i + 2]];
    max = Math.max(max, x * x + y * y + z * z);
  }
  return Math.sqrt(max);
}
