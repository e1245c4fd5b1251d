/** What a weld found: which vertex each point became, and the point that each vertex was first seen as. */
export interface WeldMap {
  /** point → vertex */
  vertexOf: Uint32Array<ArrayBuffer>;
  /** vertex → its first point */
  firstPoint: Uint32Array<ArrayBuffer>;
}

const HASH_MULTIPLIERS = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1, 0xd3a2646c, 0x7feb352d] as const;

/**
 * Finds points (three float64 each) that are bit by bit equal, counting -0 as 0. Vertices are numbered as they first appear.
 * Open addressing over the bit patterns, as in `Float32VertexTable`; here all points are known, so the table keeps their places only.
 */
export function weldPoints(points: Float64Array): WeldMap {
  const plain = new Float64Array(points.length);
  for (let i = 0; i < points.length; i++) plain[i] = points[i] + 0; // -0 + 0 is 0
  const words = new Int32Array(plain.buffer);
  const pointCount = points.length / 3;
  let mask = 63;
  while (mask < pointCount * 2) mask = mask * 2 + 1;
  // slot → vertex + 1 in the bits of the mask, the point's hash in those above; 0 is free
  const slots = new Int32Array(mask + 1);
  const vertexOf = new Uint32Array(pointCount);
  const firstPoint = new Uint32Array(pointCount);
  let count = 0;
  for (let point = 0; point < pointCount; point++) {
    const hash = hashOf(words, point * 6);
    const high = hash & ~mask;
    let slot = hash & mask;
    let entry = slots[slot];
    while (
      entry !== 0 &&
      ((entry & ~mask) !== high || !isEqual(words, point * 6, firstPoint[(entry & mask) - 1] * 6))
    ) {
      slot = (slot + 1) & mask;
      entry = slots[slot];
    }
    if (entry === 0) {
      firstPoint[count++] = point;
      entry = high | count;
      slots[slot] = entry;
    }
    vertexOf[point] = (entry & mask) - 1;
  }
  return { vertexOf, firstPoint: firstPoint.slice(0, count) };
}

/** The positions that a weld keeps of `points`. */
export function gatherPositions(points: Float64Array, firstPoint: Uint32Array): Float64Array<ArrayBuffer> {
  const positions = new Float64Array(firstPoint.length * 3);
  for (let vertex = 0; vertex < firstPoint.length; vertex++) {
    const offset = firstPoint[vertex] * 3;
    positions[vertex * 3] = points[offset] + 0;
    positions[vertex * 3 + 1] = points[offset + 1] + 0;
    positions[vertex * 3 + 2] = points[offset + 2] + 0;
  }
  return positions;
}

/** A hash of three float64 whose six words stand at `offset`. */
export function hashOf(words: Int32Array, offset: number): number {
  const low =
    Math.imul(words[offset], HASH_MULTIPLIERS[0]) ^
    Math.imul(words[offset + 2], HASH_MULTIPLIERS[1]) ^
    Math.imul(words[offset + 4], HASH_MULTIPLIERS[2]);
  const high =
    Math.imul(words[offset + 1], HASH_MULTIPLIERS[3]) ^
    Math.imul(words[offset + 3], HASH_MULTIPLIERS[4]) ^
    Math.imul(words[offset + 5], HASH_MULTIPLIERS[5]);
  const hash = low ^ high;
  // Round coordinates differ in their high bits only: the shifts bring them down to where the slot is taken from.
  const mixed = Math.imul(hash ^ (hash >>> 16), HASH_MULTIPLIERS[6]);
  return mixed ^ (mixed >>> 15);
}

function isEqual(words: Int32Array, a: number, b: number): boolean {
  return (
    words[a] === words[b] &&
    words[a + 1] === words[b + 1] &&
    words[a + 2] === words[b + 2] &&
    words[a + 3] === words[b + 3] &&
    words[a + 4] === words[b + 4] &&
    words[a + 5] === words[b + 5]
  );
}
