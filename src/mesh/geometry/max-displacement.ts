/**
 * Computes the largest distance between a vertex of `source` and its image in `target`.
 *
 * @param mapVertex maps a vertex of `source` to its image. Default: the vertex with the same index.
 */
export function maxDisplacement(
  source: Float64Array,
  target: Float64Array,
  mapVertex: (vertex: number) => number = (vertex) => vertex,
): number {
  let maxSquared = 0;
  for (let i = 0; i < source.length; i += 3) {
    const offset = mapVertex(i / 3) * 3;
    const [x, y, z] = [
      target[offset] - source[i],
      target[offset + 1] - source[i + 1],
      target[offset + 2] - source[i + 2],
    ];
    maxSquared = Math.max(maxSquared, x * x + y * y + z * z);
  }
  return Math.sqrt(maxSquared);
}
