import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';

/**
 * Removes the diagonals of a cap that are edges of the mesh: replaces the two triangles at such a diagonal by four
 * around a new vertex at the mean of their corners. The first corner of each triangle is a vertex of the ring.
 *
 * @param coordinates x, y, z of new vertices, with indices that follow those of `positions`; the function appends to it
 */
export function splitDuplicateDiagonals(
  positions: Float64Array,
  coordinates: number[],
  cap: readonly number[],
  edgeExists: (a: number, b: number) => boolean,
): number[] {
  let triangles = [...cap];
  for (
    let pairs = findDuplicateDiagonals(triangles, edgeExists);
    pairs.length > 0;
    pairs = findDuplicateDiagonals(triangles, edgeExists)
  ) {
    const removedTriangles = new Set(pairs.flat().map(triangleOf));
    const kept = triangles.filter((_, h) => !removedTriangles.has(triangleOf(h)));
    for (const [h, twin] of pairs) {
      const [a, b] = [triangles[h], triangles[nextOf(h)]];
      const [c, d] = [triangles[previousOf(h)], triangles[previousOf(twin)]];
      const middle = (positions.length + coordinates.length) / 3;
      const coordinateOf = (vertex: number, k: number) =>
        positions[vertex * 3 + k] ?? coordinates[vertex * 3 + k - positions.length];
      for (const k of [0, 1, 2])
        coordinates.push((coordinateOf(a, k) + coordinateOf(b, k) + coordinateOf(c, k) + coordinateOf(d, k)) / 4);
      kept.push(b, c, middle, a, middle, c, a, d, middle, b, middle, d);
    }
    triangles = kept;
  }
  return triangles;
}

/** Finds both half-edges of each diagonal that is an edge of the mesh. No triangle is in two pairs. */
function findDuplicateDiagonals(
  triangles: readonly number[],
  edgeExists: (a: number, b: number) => boolean,
): [number, number][] {
  const pairs: [number, number][] = [];
  const unpaired = new Map<string, number>(); // 'from to' → half-edge
  const touched = new Set<number>();
  triangles.forEach((from, h) => {
    const to = triangles[nextOf(h)];
    const twin = unpaired.get(`${to} ${from}`);
    unpaired.set(`${from} ${to}`, h);
    if (twin === undefined || !edgeExists(from, to)) return;
    if (touched.has(triangleOf(h)) || touched.has(triangleOf(twin))) return;
    touched.add(triangleOf(h)).add(triangleOf(twin));
    pairs.push([h, twin]);
  });
  return pairs;
}
