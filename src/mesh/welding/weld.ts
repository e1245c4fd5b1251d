/** The result of welding points into vertices. */
export interface WeldMap {
  /** point → vertex */
  vertexOf: Uint32Array<ArrayBuffer>;
  /** vertex → the first point with its coordinates */
  firstPoint: Uint32Array<ArrayBuffer>;
}

/** Multipliers for the words of a point, and for the final mix. */
const HASH_MULTIPLIERS = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1, 0xd3a2646c, 0x7feb352d] as const;

/**
 * Welds points with equal coordinates, with -0 equal to 0. Vertices are numbered in the order of first appearance.
 * Linear expected time.
 *
 * Uses a hash table with open addressing, as `Float32VertexTable`. All points are known in advance, so that the table
 * stores indices only. `Float64VertexTable` takes 8 % longer, and never welds points that are not a number.
 *
 * @param points point → x, y, z
 */
export function weldPoints(points: Float64Array): WeldMap {
  const normalized = new Float64Array(points.length);
  for (let i = 0; i < points.length; i++) normalized[i] = points[i] + 0; // -0 + 0 is 0
  const words = new Int32Array(normalized.buffer);
  const pointCount = points.length / 3;
  let mask = 63;
  while (mask < pointCount * 2) mask = mask * 2 + 1;
  // slot → vertex + 1 in the bits of the mask, bits of the hash above; 0 if free
  const slots = new Int32Array(mask + 1);
  const vertexOf = new Uint32Array(pointCount);
  const firstPoint = new Uint32Array(pointCount);
  let count = 0;
  for (let point = 0; point < pointCount; point++) {
    const hash = computeHash(words, point * 6);
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

/** Returns the positions of the vertices of a weld (vertex → x, y, z). */
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

/** Computes the hash of a float64 point whose six 32-bit words start at `offset`. */
export function computeHash(words: Int32Array, offset: number): number {
  const low =
    Math.imul(words[offset], HASH_MULTIPLIERS[0]) ^
    Math.imul(words[offset + 2], HASH_MULTIPLIERS[1]) ^
    Math.imul(words[offset + 4], HASH_MULTIPLIERS[2]);
  const high =
    Math.imul(words[offset + 1], HASH_MULTIPLIERS[3]) ^
    Math.imul(words[offset + 3], HASH_MULTIPLIERS[4]) ^
    Math.imul(words[offset + 5], HASH_MULTIPLIERS[5]);
  const hash = low ^ high;
  // Coordinates with few significant digits differ in their high bits only. The shifts mix these into the low bits,
  // which determine the slot.
  const mixed = Math.imul(hash ^ (hash >>> 16), HASH_MULTIPLIERS[6]);
  return mixed ^ (mixed >>> 15);
}

/** Returns whether the points whose words start at `a` and `b` are equal. */
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
