import { NO_TWIN } from './edges.js';
import { nextOf, previousOf } from './half-edge.js';

/** The fans of a mesh: the sets of triangles at a vertex that are connected through twins. */
export interface Fans {
  /** corner (the half-edge that leaves it) → fan; fans are numbered by their first corner */
  fanOf: Uint32Array;
  count: number;
}

/**
 * Finds the fans of a mesh by walking from twin to twin around each vertex, in both directions if it is on a boundary.
 */
export function findFans(twins: Int32Array): Fans {
  const unassigned = 0xffffffff;
  const fanOf = new Uint32Array(twins.length).fill(unassigned);
  let count = 0;
  for (let corner = 0; corner < twins.length; corner++) {
    if (fanOf[corner] !== unassigned) continue;
    const fan = count++;
    let h = corner;
    do {
      fanOf[h] = fan;
      h = twins[previousOf(h)]; // the twin of the incoming half-edge leaves the same vertex
    } while (h !== NO_TWIN && fanOf[h] === unassigned);
    for (h = twins[corner]; h !== NO_TWIN; h = twins[h]) {
      h = nextOf(h);
      if (fanOf[h] !== unassigned) break;
      fanOf[h] = fan;
    }
  }
  return { fanOf, count };
}

/**
 * Counts the fans of a mesh in which each half-edge has a twin. Needs less memory than `findFans`: every fan is closed.
 */
export function countClosedFans(twins: Int32Array): number {
  const isVisited = new Uint8Array(twins.length); // corner → 1
  let count = 0;
  for (let corner = 0; corner < twins.length; corner++) {
    if (isVisited[corner] === 1) continue;
    count++;
    for (let h = corner; isVisited[h] === 0; h = twins[previousOf(h)]) isVisited[h] = 1;
  }
  return count;
}
