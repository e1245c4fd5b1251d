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
    let offset = corner;
    do {
      fanOf[offset] = fan;
      offset = twins[previousOf(offset)]; // the twin of the side that comes in leaves from the same vertex
    } while (offset !== NO_TWIN && fanOf[offset] === none);
    for (offset = twins[corner]; offset !== NO_TWIN; offset = twins[offset]) {
      offset = nextOf(offset);
      if (fanOf[offset] !== none) break;
      fanOf[offset] = fan;
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
    for (let offset = corner; isSeen[offset] === 0; offset = twins[previousOf(offset)]) isSeen[offset] = 1;
  }
  return count;
}
