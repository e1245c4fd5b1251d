import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';

/**
 * Replaces two triangles of a cap at a diagonal that the mesh has already by four round a new vertex, in the middle of their corners: where
 * there is no way round it, nothing is to cancel what is there. A ring's vertex comes first in each triangle.
 *
 * @param places coordinates of new vertices, numbered from the end of `positions` on; grows
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
    const isGone = new Set(pairs.flat().map(triangleOf));
    const kept = triangles.filter((_, h) => !isGone.has(triangleOf(h)));
    for (const [h, twin] of pairs) {
      const [a, b] = [triangles[h], triangles[nextOf(h)]];
      const [c, d] = [triangles[previousOf(h)], triangles[previousOf(twin)]];
      const middle = (positions.length + coordinates.length) / 3;
      const of = (vertex: number, k: number) =>
        positions[vertex * 3 + k] ?? coordinates[vertex * 3 + k - positions.length];
      for (const k of [0, 1, 2]) coordinates.push((of(a, k) + of(b, k) + of(c, k) + of(d, k)) / 4);
      kept.push(b, c, middle, a, middle, c, a, d, middle, b, middle, d);
    }
    triangles = kept;
  }
  return triangles;
}

/** Both half-edges of inner edges that are taken; each triangle takes part once. */
function findDuplicateDiagonals(
  triangles: readonly number[],
  edgeExists: (a: number, b: number) => boolean,
): [number, number][] {
  const pairs: [number, number][] = [];
  const waiting = new Map<string, number>(); // 'from to' → half-edge
  const isBusy = new Set<number>();
  triangles.forEach((from, h) => {
    const to = triangles[nextOf(h)];
    const twin = waiting.get(`${to} ${from}`);
    waiting.set(`${from} ${to}`, h);
    if (twin === undefined || !edgeExists(from, to)) return;
    if (isBusy.has(triangleOf(h)) || isBusy.has(triangleOf(twin))) return;
    isBusy.add(triangleOf(h)).add(triangleOf(twin));
    pairs.push([h, twin]);
  });
  return pairs;
}
