import { NO_TWIN } from './edges.js';
import { nextOf, previousOf } from './half-edge.js';

/** Which fan each corner of a triangle belongs to: the triangles round a vertex that hang together through twins. */
export interface Fans {
  /** corner (half-edge that leaves it) → fan; fans are numbered by their first corner */
  fanOf: Uint32Array;
  count: number;
}

/** Walks round each vertex from twin to twin, both ways where there is a boundary. */
export function findFans(twins: Int32Array): Fans {
  const none = 0xffffffff;
  const fanOf = new Uint32Array(twins.length).fill(none);
  let count = 0;
  for (let corner = 0; corner < twins.length; corner++) {
    if (fanOf[corner] !== none) continue;
    const fan = count++;
    let at = corner;
    do {
      fanOf[at] = fan;
      at = twins[previousOf(at)]; // the twin of the side that comes in leaves from the same vertex
    } while (at !== NO_TWIN && fanOf[at] === none);
    for (at = twins[corner]; at !== NO_TWIN; at = twins[at]) {
      at = nextOf(at);
      if (fanOf[at] !== none) break;
      fanOf[at] = fan;
    }
  }
  return { fanOf, count };
}

/** The number of fans in a mesh where each half-edge has a twin: then each goes round, and fewer numbers need to be kept. */
export function countClosedFans(twins: Int32Array): number {
  const isSeen = new Uint8Array(twins.length); // corner → 1
  let count = 0;
  for (let corner = 0; corner < twins.length; corner++) {
    if (isSeen[corner] === 1) continue;
    count++;
    for (let at = corner; isSeen[at] === 0; at = twins[previousOf(at)]) isSeen[at] = 1;
  }
  return count;
}
